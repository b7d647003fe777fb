package vectorcache

import (
	"encoding/binary"
	"math"

	"mneme/embed"
	"mneme/embed/maxsim"
)

// An embedding is encoded as its vector, then a passage's codes or a query's
// tokens. The vector is the number of components and the components in single
// precision. Codes and tokens are their number plus one (0: nil) and the items. A
// token is its start, its end and its components.

const tokenSize = 4 + 4 + maxsim.Dim

func encodePassage(p embed.Passage) []byte {
	data := appendVector(nil, p.Vector)
	if p.Codes == nil {
		return binary.LittleEndian.AppendUint32(data, 0)
	}
	return append(binary.LittleEndian.AppendUint32(data, uint32(len(p.Codes)+1)), p.Codes...)
}

func decodePassage(data []byte) (p embed.Passage, err error) {
	if p.Vector, data, err = cutVector(data); err != nil {
		return embed.Passage{}, err
	}
	n, data, err := cutNumber(data)
	switch {
	case err != nil:
		return embed.Passage{}, err
	case n == 0 && len(data) == 0:
		return p, nil
	case n == 0 || len(data) != int(n)-1:
		return embed.Passage{}, errDamaged
	}
	p.Codes = data
	return p, nil
}

// multilingual is the bit in the number of tokens for embed.Query.Multilingual.
const multilingual = 1 << 31

func encodeQuery(q embed.Query) []byte {
	data := appendVector(nil, q.Vector)
	if q.Tokens == nil {
		return binary.LittleEndian.AppendUint32(data, 0)
	}
	n := uint32(len(q.Tokens) + 1)
	if q.Multilingual {
		n |= multilingual
	}
	data = binary.LittleEndian.AppendUint32(data, n)
	for _, token := range q.Tokens {
		data = binary.LittleEndian.AppendUint32(data, uint32(token.Start))
		data = binary.LittleEndian.AppendUint32(data, uint32(token.End))
		for _, component := range token.Vector {
			data = append(data, byte(component))
		}
	}
	return data
}

func decodeQuery(data []byte) (q embed.Query, err error) {
	if q.Vector, data, err = cutVector(data); err != nil {
		return embed.Query{}, err
	}
	n, data, err := cutNumber(data)
	if n&multilingual != 0 {
		q.Multilingual, n = true, n&^multilingual
	}
	switch {
	case err != nil:
		return embed.Query{}, err
	case n == 0 && len(data) == 0:
		return q, nil
	case n == 0 || len(data) != (int(n)-1)*tokenSize:
		return embed.Query{}, errDamaged
	}
	q.Tokens = make([]embed.Token, n-1)
	for i := range q.Tokens {
		token := data[i*tokenSize:]
		q.Tokens[i].Start = int(binary.LittleEndian.Uint32(token))
		q.Tokens[i].End = int(binary.LittleEndian.Uint32(token[4:]))
		for c := range q.Tokens[i].Vector {
			q.Tokens[i].Vector[c] = int8(token[8+c])
		}
	}
	return q, nil
}

func appendVector(data []byte, v []float32) []byte {
	data = binary.LittleEndian.AppendUint32(data, uint32(len(v)))
	for _, component := range v {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(component))
	}
	return data
}

// cutVector splits a vector off the start of data.
func cutVector(data []byte) ([]float32, []byte, error) {
	n, data, err := cutNumber(data)
	if err != nil || int64(len(data)) < 4*int64(n) {
		return nil, nil, errDamaged
	}
	v := make([]float32, n)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
	}
	return v, data[4*n:], nil
}

func cutNumber(data []byte) (uint32, []byte, error) {
	if len(data) < 4 {
		return 0, nil, errDamaged
	}
	return binary.LittleEndian.Uint32(data), data[4:], nil
}
