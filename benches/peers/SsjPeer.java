import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import umontreal.ssj.randvar.ExponentialGen;
import umontreal.ssj.randvar.RandomVariateGen;
import umontreal.ssj.rng.MRG32k3a;
import umontreal.ssj.rng.RandomStream;
import umontreal.ssj.simevents.Event;
import umontreal.ssj.simevents.Simulator;
import umontreal.ssj.simevents.eventlist.DoublyLinked;
import umontreal.ssj.simevents.eventlist.EventList;
import umontreal.ssj.simevents.eventlist.Henriksen;
import umontreal.ssj.stat.Tally;

/**
 * SSJ: a single-server queue written by hand on its simulator, events, generators and statistics.
 *
 * <p>The arguments are KEY=VALUE. The first run is cold; the others profit from its compilation.
 */
public final class SsjPeer {
    private static final Set<String> OFFERED = Set.of("fcfs", "srpt", "ps");

    private final Map<String, String> options;
    private final Simulator simulator;
    private final Station station;
    private final RandomVariateGen thinks;
    private final RandomStream phases = new MRG32k3a();
    private final RandomStream ends = new MRG32k3a();
    private final RandomVariateGen[] demands = new RandomVariateGen[2];
    private final double share;
    private final double last;
    private final Tally responses = new Tally();
    private long remaining;

    private SsjPeer(Map<String, String> options) {
        this.options = options;
        simulator = new Simulator(eventList());
        station = Station.of(options.get("policy"), simulator);
        thinks = exponential(number("think"));
        share = number("share");
        demands[0] = exponential(number("mean"));
        demands[1] = exponential(number("mean2"));
        last = number("last");
        remaining = (long) number("requests");
    }

    /** Of the lists SSJ has, the one that was fastest for the number of events it holds. */
    private EventList eventList() {
        return options.get("population").equals("open") ? new DoublyLinked() : new Henriksen();
    }

    private double number(String key) {
        return Double.parseDouble(options.get(key));
    }

    private static RandomVariateGen exponential(double mean) {
        return mean > 0.0 ? new ExponentialGen(new MRG32k3a(), 1.0 / mean) : null;
    }

    /** A request of an open model, or the requests of a session one after another. */
    private final class Client extends Request {
        Client() {
            super(simulator);
        }

        @Override
        public void actions() {
            arrived = simulator.time();
            boolean first = share >= 1.0 || phases.nextDouble() < share;
            left = demands[first ? 0 : 1].nextDouble();
            station.arrive(this);
        }

        @Override
        void served() {
            responses.add(simulator.time() - arrived);
            if (--remaining == 0) {
                simulator.stop();
            } else if (last <= 0.0 || (last < 1.0 && ends.nextDouble() >= last)) {
                schedule(thinks.nextDouble());
            }
        }
    }

    /** Poisson arrivals of clients. */
    private final class Arrival extends Event {
        private final RandomVariateGen gaps = exponential(1.0 / number("rate"));

        Arrival() {
            super(simulator);
        }

        void scheduleNextArrival() {
            schedule(gaps.nextDouble());
        }

        @Override
        public void actions() {
            scheduleNextArrival();
            new Client().actions();
        }
    }

    private double run() {
        simulator.init();
        responses.init();
        int clients = (int) number("clients");
        for (int i = 0; i < clients; i++) {
            new Client().schedule(thinks.nextDouble());
        }
        if (clients == 0) {
            new Arrival().scheduleNextArrival();
        }
        simulator.start();
        return responses.average();
    }

    /** Runs the model and prints one JSON line. */
    public static void main(String[] arguments) {
        Map<String, String> options = new HashMap<>();
        for (String argument : arguments) {
            String[] parts = argument.split("=", 2);
            options.put(parts[0], parts[1]);
        }
        if (!OFFERED.contains(options.get("policy"))) {
            System.out.println("{\"not_offered\": \"not written by hand\"}");
            return;
        }
        StringBuilder requests = new StringBuilder();
        StringBuilder seconds = new StringBuilder();
        StringBuilder means = new StringBuilder();
        for (int run = 0; run <= Integer.parseInt(options.get("runs")); run++) {
            String comma = run == 0 ? "" : ", ";
            long start = System.nanoTime();
            double mean = new SsjPeer(options).run();
            double elapsed = (System.nanoTime() - start) / 1e9;
            requests.append(comma).append(options.get("requests"));
            seconds.append(String.format(Locale.ROOT, "%s%.6f", comma, elapsed));
            means.append(comma).append(mean);
        }
        System.out.printf(
                "{\"version\": \"%s\", \"requests\": [%s], \"seconds\": [%s], \"means\": [%s]}%n",
                options.get("version"), requests, seconds, means);
    }
}
