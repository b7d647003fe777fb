#!/bin/sh

# PROVIDE: mneme
# REQUIRE: NETWORKING FILESYSTEMS
# KEYWORD: shutdown
#
# mneme_enable: YES starts it with the system.
# mneme_account: the account that it runs as and that owns its data.
# mneme_env: settings, such as MNEME_ADDR=:7077.

. /etc/rc.subr

name=mneme
rcvar=mneme_enable
load_rc_config $name
: ${mneme_enable:=NO}
: ${mneme_account:={{.Account}}}

mneme_umask=0077
pidfile=/var/run/mneme.pid
command=/usr/sbin/daemon
command_args="-f -r -S -T mneme -P $pidfile -u $mneme_account "{{shell .ShellCommand}}
start_precmd=mneme_prestart

mneme_prestart() {
	install -d -m 700 -o "$mneme_account" {{shell .DataDir}}
}

run_rc_command "$1"
