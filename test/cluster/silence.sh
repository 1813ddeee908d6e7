# Sourced: run as root where the API server runs. Packets of the connections that a pod has to the API server are
# dropped in both directions, and neither end is told. New connections work.
CHAIN=SITE-VALIDATOR-SILENCE

silence_pod() { # silence_pod IP
  local ip=$1 port
  iptables -N "$CHAIN" 2>/dev/null || true
  for hook in INPUT OUTPUT; do iptables -C "$hook" -j "$CHAIN" 2>/dev/null || iptables -I "$hook" -j "$CHAIN"; done
  for port in $(ss -Htn state established "sport = :6443 and dst $ip" | awk '{ print $NF }' | sed 's/.*://'); do
    iptables -A "$CHAIN" -p tcp -s "$ip" --sport "$port" --dport 6443 -j DROP
    iptables -A "$CHAIN" -p tcp -d "$ip" --dport "$port" --sport 6443 -j DROP
    echo "$port"
  done
}

hear_pods() {
  for hook in INPUT OUTPUT; do iptables -D "$hook" -j "$CHAIN" 2>/dev/null || true; done
  iptables -F "$CHAIN" 2>/dev/null || true
  iptables -X "$CHAIN" 2>/dev/null || true
}
