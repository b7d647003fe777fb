//go:build lab

package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"mneme/lexical"
)

type doc struct{ d lexical.Document }

func read(path string) (out []map[string]any) {
	f, _ := os.Open(path)
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<20)
	for sc.Scan() {
		var m map[string]any
		json.Unmarshal(sc.Bytes(), &m)
		out = append(out, m)
	}
	return
}

func tsv(prefix string, d lexical.Document) string {
	var b strings.Builder
	for _, t := range d.Terms {
		b.WriteString("'" + prefix + strings.ReplaceAll(t.Text, "'", "''") + "':")
		for i := 1; i <= t.Count; i++ {
			if i > 1 {
				b.WriteByte(',')
			}
			b.WriteString(strconv.Itoa(i))
		}
		b.WriteByte(' ')
	}
	return b.String()
}

func forward(d lexical.Document) []byte {
	var b []byte
	for _, t := range d.Terms {
		b = append(b, byte(len(t.Text)))
		b = append(b, t.Text...)
		b = append(b, byte(t.Count))
	}
	return b
}

func pct(ts []time.Duration) string {
	sort.Slice(ts, func(i, j int) bool { return ts[i] < ts[j] })
	return fmt.Sprintf("p50 %v p99 %v", ts[len(ts)/2].Round(10*time.Microsecond), ts[len(ts)*99/100].Round(10*time.Microsecond))
}

func main() {
	n, _ := strconv.Atoi(os.Args[2])
	stores, _ := strconv.Atoi(os.Args[3])
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, os.Args[1])
	if err != nil {
		panic(err)
	}
	turns := read("/work/shared/data/locomo/corpus.jsonl")
	rnd := rand.New(rand.NewSource(1))
	docs := make([]lexical.Document, n)
	for i := range docs {
		a := turns[i%len(turns)]["text"].(string)
		w := strings.Fields(turns[rnd.Intn(len(turns))]["text"].(string))
		docs[i] = lexical.Analyze(a[:len(a)*2/3], strings.Join(w[len(w)/2:], " "), fmt.Sprint("d", i))
	}
	var queries [][]lexical.QueryTerm
	for i, q := range read("/work/shared/data/locomo/queries.jsonl") {
		if i%8 == 0 {
			queries = append(queries, lexical.ParseQuery(q["text"].(string)))
		}
	}
	ex := func(sql string, a ...any) {
		if _, err := conn.Exec(ctx, sql, a...); err != nil {
			panic(err)
		}
	}
	ex(`create extension if not exists btree_gin; drop table if exists a; drop table if exists b; drop table if exists c;
	create table a (id bigint primary key, store bigint, label smallint, length int, tsv tsvector, fwd bytea);
	create table b (id bigint primary key, store bigint, label smallint, length int, tsv tsvector, fwd bytea);
	create table c (store bigint, label smallint, term text collate "C", block int, n int, data bytea, primary key(store,term,label,block));
	create index on a using gin(store,label,tsv); create index on b using gin(tsv)`)
	ins := func(table string, pre func(int) string) {
		t := time.Now()
		const batch = 500
		for at := 0; at < n; at += batch {
			_, err := conn.CopyFrom(ctx, pgx.Identifier{table}, []string{"id", "store", "label", "length", "tsv", "fwd"}, pgx.CopyFromSlice(batch, func(i int) ([]any, error) {
				i += at
				return []any{i, i % stores, 1, docs[i].Length, tsv(pre(i), docs[i]), forward(docs[i])}, nil
			}))
			if err != nil {
				panic(err)
			}
		}
		fmt.Println(table, "insert", time.Since(t))
		t = time.Now()
		ex("vacuum analyze " + table)
		fmt.Println("vacuum", time.Since(t))
	}
	ins("a", func(int) string { return "" })
	ins("b", func(i int) string { return strconv.FormatInt(int64(i%stores), 36) + "/1/" })
	// c: batches of 500 consecutive ids per store, read-modify-write is simulated by final state
	type key struct {
		s int
		t string
	}
	t0 := time.Now()
	post := map[key][]byte{}
	cnt := map[key]int{}
	for i, d := range docs {
		for _, t := range d.Terms {
			k := key{i % stores, t.Text}
			b := post[k]
			b = binary.AppendUvarint(b, uint64(i)) // pessimistic: no delta
			b = append(b, byte(t.Count), byte(min(d.Length, 255)))
			post[k] = b
			cnt[k]++
		}
	}
	var rows [][]any
	for k, b := range post {
		for bl := 0; len(b) > 0; bl++ {
			m := min(len(b), 1900)
			rows = append(rows, []any{k.s, 1, k.t, bl, cnt[k], b[:m]})
			b = b[m:]
		}
	}
	sort.Slice(rows, func(i, j int) bool {
		if rows[i][0].(int) != rows[j][0].(int) {
			return rows[i][0].(int) < rows[j][0].(int)
		}
		return rows[i][2].(string) < rows[j][2].(string)
	})
	conn.CopyFrom(ctx, pgx.Identifier{"c"}, []string{"store", "label", "term", "block", "n", "data"}, pgx.CopyFromRows(rows))
	ex("vacuum analyze c")
	fmt.Println("c", len(rows), "rows", time.Since(t0))
	var sz string
	for _, t := range []string{"a", "b", "c"} {
		conn.QueryRow(ctx, `select pg_size_pretty(pg_table_size($1::text))||' + idx '||pg_size_pretty(pg_indexes_size($1::text))`, t).Scan(&sz)
		fmt.Println(t, sz)
	}
	quote := func(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
	store := 7 % stores
	run := func(name string, f func(q []lexical.QueryTerm) int) {
		var ts []time.Duration
		tot := 0
		for _, q := range queries {
			t := time.Now()
			tot += f(q)
			ts = append(ts, time.Since(t))
		}
		fmt.Println(name, pct(ts), "mean rows", tot/len(queries))
	}
	run("A df", func(q []lexical.QueryTerm) int {
		b := &pgx.Batch{}
		for _, t := range q {
			b.Queue(`select count(*) from a where store=$1 and label=1 and tsv @@ $2::tsquery`, store, quote(t.Text))
		}
		r := conn.SendBatch(ctx, b)
		tot := 0
		for range q {
			var c int
			if err := r.QueryRow().Scan(&c); err != nil {
				panic(err)
			}
			tot += c
		}
		r.Close()
		return tot
	})
	pre := strconv.FormatInt(int64(store), 36) + "/1/"
	run("B df", func(q []lexical.QueryTerm) int {
		b := &pgx.Batch{}
		for _, t := range q {
			b.Queue(`select count(*) from b where tsv @@ $1::tsquery`, quote(pre+t.Text))
		}
		r := conn.SendBatch(ctx, b)
		tot := 0
		for range q {
			var c int
			if err := r.QueryRow().Scan(&c); err != nil {
				panic(err)
			}
			tot += c
		}
		r.Close()
		return tot
	})
	fetch := func(sql string, pre string, cols int) func(q []lexical.QueryTerm) int {
		return func(q []lexical.QueryTerm) int {
			var ts []string
			for _, t := range q {
				ts = append(ts, quote(pre+t.Text))
			}
			args := []any{strings.Join(ts, " | ")}
			if cols == 2 {
				args = append(args, store)
			}
			r, err := conn.Query(ctx, sql, args...)
			if err != nil {
				panic(err)
			}
			c := 0
			for r.Next() {
				_ = r.RawValues()
				c++
			}
			if r.Err() != nil {
				panic(r.Err())
			}
			return c
		}
	}
	run("A exhaustive tsv text", fetch(`select id,length,tsv::text from a where tsv @@ $1::tsquery and store=$2 and label=1`, "", 2))
	run("A exhaustive fwd", fetch(`select id,length,fwd from a where tsv @@ $1::tsquery and store=$2 and label=1`, "", 2))
	run("B exhaustive fwd", fetch(`select id,length,fwd from b where tsv @@ $1::tsquery`, pre, 1))
	run("C exhaustive scored", func(q []lexical.QueryTerm) int {
		var ts []string
		for _, t := range q {
			ts = append(ts, t.Text)
		}
		r, err := conn.Query(ctx, `select term,n,data from c where store=$1 and label=1 and term=any($2)`, store, ts)
		if err != nil {
			panic(err)
		}
		blocks := map[string][][]byte{}
		ns := map[string]int64{}
		for r.Next() {
			v := r.RawValues()
			blocks[string(v[0])] = append(blocks[string(v[0])], append([]byte(nil), v[2]...))
			ns[string(v[0])] = int64(binary.BigEndian.Uint32(v[1]))
		}
		if r.Err() != nil {
			panic(r.Err())
		}
		df := make([]int64, len(q))
		for i := range q {
			df[i] = ns[q[i].Text]
		}
		sc := lexical.NewScorer(lexical.Stats{Documents: int64(n / stores), Length: int64(n/stores) * 30}, q, df)
		scores := make([]float64, n)
		c := 0
		for i := range q {
			for _, b := range blocks[q[i].Text] {
				for len(b) > 4 {
					id, w := binary.Uvarint(b)
					if w <= 0 || int(id) >= n || w+2 > len(b) {
						break
					}
					scores[id] += sc.Term(i, int(b[w]), int(b[w+1]))
					b = b[w+2:]
					c++
				}
			}
		}
		return c
	})
	// MaxScore count in memory
	df := map[string]int64{}
	var L int64
	inv := map[string][]int{}
	N := 0
	for i := store; i < n; i += stores {
		N++
		L += int64(docs[i].Length)
		for _, t := range docs[i].Terms {
			df[t.Text]++
			inv[t.Text] = append(inv[t.Text], i)
		}
	}
	run("maxscore fetched (memory)", func(q []lexical.QueryTerm) int {
		d := make([]int64, len(q))
		for i := range q {
			d[i] = df[q[i].Text]
		}
		sc := lexical.NewScorer(lexical.Stats{Documents: int64(N), Length: L}, q, d)
		ord := make([]int, len(q))
		for i := range ord {
			ord[i] = i
		}
		sort.Slice(ord, func(x, y int) bool { return d[ord[x]] < d[ord[y]] })
		seen := map[int]bool{}
		var scores []float64
		for k, o := range ord {
			R := 0.0
			for _, p := range ord[k:] {
				R += sc.Term(p, 3, 1)
			}
			sort.Sort(sort.Reverse(sort.Float64Slice(scores)))
			if len(scores) >= 256 && scores[255] > R {
				break
			}
			for _, id := range inv[q[o].Text] {
				if seen[id] {
					continue
				}
				seen[id] = true
				s := 0.0
				for i := range q {
					j := sort.Search(len(docs[id].Terms), func(j int) bool { return docs[id].Terms[j].Text >= q[i].Text })
					if j < len(docs[id].Terms) && docs[id].Terms[j].Text == q[i].Text {
						s += sc.Term(i, docs[id].Terms[j].Count, docs[id].Length)
					}
				}
				scores = append(scores, s)
			}
		}
		return len(seen)
	})
}
