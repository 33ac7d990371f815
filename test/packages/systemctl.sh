#!/bin/sh
# Stands in for systemctl in a chroot, where no PID 1 runs units: it starts and stops the one service, as its unit does.
start() {
  mkdir -p /run/platen && chown platen /run/platen
  setpriv --reuid=platen --regid=platen --clear-groups env STATE_DIRECTORY=/var/lib/platen RUNTIME_DIRECTORY=/run/platen \
    /usr/lib/platen/bin/node /usr/lib/platen/platen.js --config /etc/platen/config.json \
    </dev/null >>/var/log/platen.log 2>&1 9>&- &
  echo $! >/run/server.pid
}
stop() {
  [ -s /run/server.pid ] || return 0
  kill "$(cat /run/server.pid)" 2>/dev/null
  while kill -0 "$(cat /run/server.pid)" 2>/dev/null; do sleep 0.1; done
  rm /run/server.pid
}
case "$*" in
  'restart platen.service') stop; start ;;
  stop*platen.service*) stop ;;
  *is-enabled*) case $* in *' platen.service') ;; *) exit 1 ;; esac ;;
esac
