#!/bin/sh
# Starts workerd so that the kernel ends it with the server. Otherwise, a workerd whose server was killed would go on writing
# to databases that the next server opens as well.
exec setpriv --pdeathsig KILL -- "$PLAYHOUSE_WORKERD" "$@"
