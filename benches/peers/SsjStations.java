import java.util.ArrayDeque;
import java.util.PriorityQueue;
import umontreal.ssj.simevents.Event;
import umontreal.ssj.simevents.Simulator;

/** A request; its event is its arrival at the station. */
abstract class Request extends Event {
    double arrived;
    /** Demand, or what is left of it; under processor sharing, the virtual time of its end. */
    double left;

    Request(Simulator simulator) {
        super(simulator);
    }

    /** Called when the station has served it. */
    abstract void served();
}

/** A single server; its event is the end of a service. */
abstract class Station extends Event {
    Station(Simulator simulator) {
        super(simulator);
    }

    abstract void arrive(Request request);

    static Station of(String policy, Simulator simulator) {
        return switch (policy) {
            case "fcfs" -> new Fcfs(simulator);
            case "srpt" -> new Srpt(simulator);
            case "ps" -> new Ps(simulator);
            default -> throw new IllegalArgumentException(policy);
        };
    }
}

/** First come, first served. */
final class Fcfs extends Station {
    private final ArrayDeque<Request> queue = new ArrayDeque<>();

    Fcfs(Simulator simulator) {
        super(simulator);
    }

    @Override
    void arrive(Request request) {
        queue.addLast(request);
        if (queue.size() == 1) {
            schedule(request.left);
        }
    }

    @Override
    public void actions() {
        Request request = queue.removeFirst();
        if (!queue.isEmpty()) {
            schedule(queue.getFirst().left);
        }
        request.served();
    }
}

/** Shortest remaining processing time. */
final class Srpt extends Station {
    private final PriorityQueue<Request> waiting =
            new PriorityQueue<>((a, b) -> Double.compare(a.left, b.left));
    private Request current;

    Srpt(Simulator simulator) {
        super(simulator);
    }

    @Override
    void arrive(Request request) {
        if (current == null) {
            begin(request);
            return;
        }
        double left = eventTime - sim.time();
        if (request.left < left) {
            cancel();
            current.left = left;
            waiting.add(current);
            begin(request);
        } else {
            waiting.add(request);
        }
    }

    private void begin(Request request) {
        current = request;
        schedule(request.left);
    }

    @Override
    public void actions() {
        Request request = current;
        current = null;
        if (!waiting.isEmpty()) {
            begin(waiting.poll());
        }
        request.served();
    }
}

/** Processor sharing, by the virtual time that each request present is served. */
final class Ps extends Station {
    private final PriorityQueue<Request> present =
            new PriorityQueue<>((a, b) -> Double.compare(a.left, b.left));
    private double virtual;
    private double updated;

    Ps(Simulator simulator) {
        super(simulator);
    }

    @Override
    void arrive(Request request) {
        if (!present.isEmpty()) {
            advance();
            cancel();
        } else {
            updated = sim.time();
        }
        request.left += virtual;
        present.add(request);
        next();
    }

    private void advance() {
        virtual += (sim.time() - updated) / present.size();
        updated = sim.time();
    }

    private void next() {
        schedule(Math.max(0.0, (present.peek().left - virtual) * present.size()));
    }

    @Override
    public void actions() {
        advance();
        Request request = present.poll();
        if (!present.isEmpty()) {
            next();
        }
        request.served();
    }
}
