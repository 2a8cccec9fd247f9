#!/bin/sh
# The thin link: 10 Mbit/s out of this host, in eight classes by strict priority. A packet goes to the
# class that its socket names (SO_PRIORITY); what names none, as the packets by which a connection
# begins, goes to the first one. A class is given next to nothing of its own, and borrows the rest.
#   shape.sh DEVICE
set -e
tc qdisc replace dev "$1" root handle 1: htb default 10
tc class add dev "$1" parent 1: classid 1:1 htb rate 10mbit ceil 10mbit burst 3200 cburst 3200
for class in 0 1 2 3 4 5 6 7; do
  tc class add dev "$1" parent 1:1 classid "1:1$class" htb rate 8kbit ceil 10mbit \
    burst 1600 cburst 3200 prio "$class"
  tc qdisc add dev "$1" parent "1:1$class" pfifo limit 2000
done
# Packets of the link's size, and few of a connection in the queue at a time, so that who sends next
# is decided late.
ip link set dev "$1" gso_max_segs 1
echo 2000 > /proc/sys/net/ipv4/tcp_limit_output_bytes
