# shellcheck shell=bash
# Services: serve_NAME serves until it is interrupted, ready_NAME succeeds once it answers.

# postgres_bin prints the folder of the newest PostgreSQL server's programs.
postgres_bin() { find /usr/lib/postgresql -maxdepth 2 -name bin 2>/dev/null | sort -V | tail -n 1; }

# PostgreSQL refuses to run as root, so it runs as the user that its package created,
# with the settings of docker-compose.yml. Its data is discarded, so fsync is off; several
# packages are tested in parallel, so it accepts more connections.
serve_postgres() {
	local bin data=$work/data as=()
	bin=$(postgres_bin)
	[ "$(id -u)" != 0 ] || as=(setpriv --reuid=postgres --regid=postgres --clear-groups)
	mkdir "$data"
	cp deploy/postgres.conf "$work" # the user may be unable to read the checkout
	[ ${#as[@]} = 0 ] || chown postgres "$data"
	cd /
	"${as[@]}" "$bin/initdb" -D "$data" -A trust -U mneme --encoding=UTF8 --locale=C.UTF-8
	exec "${as[@]}" "$bin/postgres" -D "$data" -p "$postgres_port" -k "$data" -c config_file="$work/postgres.conf" \
		-c listen_addresses=127.0.0.1 -c max_connections=400 -c fsync=off -c synchronous_commit=off -c full_page_writes=off
}

ready_postgres() { "$(postgres_bin)/pg_isready" -h 127.0.0.1 -p "$postgres_port"; }

# A strongly consistent search waits for the next time tick: here they are four times as often
# as by default, since the tests search after every write.
# Milvus exits when its session in etcd expires, by default after 30 seconds without a
# renewal, which a busy or paused machine exceeds: here it lasts an hour, and etcd does not
# wait for the disk, since its data is discarded.
# Milvus writes its configuration at its first start; the settings of
# docker-compose.yml override it. The embedded etcd uses port 2380 unless a file
# configures it.
serve_milvus() {
	cat >"$work/etcd.yaml" <<-YAML
		name: default
		data-dir: $work/etcd
		listen-client-urls: http://127.0.0.1:$etcd_port
		advertise-client-urls: http://127.0.0.1:$etcd_port
		listen-peer-urls: http://127.0.0.1:$etcd_peer_port
		initial-advertise-peer-urls: http://127.0.0.1:$etcd_peer_port
		initial-cluster: default=http://127.0.0.1:$etcd_peer_port
		unsafe-no-fsync: true
	YAML
	set -a
	# shellcheck source=deploy/milvus.env
	. deploy/milvus.env
	set +a
	export PROXY_TIMETICKINTERVAL=50 COMMON_SESSION_TTL=3600 PYTHONUNBUFFERED=1 ETCD_CONFIG_PATH=$work/etcd.yaml
	exec milvus-server --data "$work/data" --proxy-port "$milvus_port" --etcd-port "$etcd_port"
}

ready_milvus() { grep -q 'Ctrl+C' "${tools%/tools}/logs/milvus.log"; }
