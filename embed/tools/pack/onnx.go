package pack

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
)

// tensor is one fp32 initializer of an ONNX graph.
type tensor struct {
	name string
	dims []int
	data []float32
}

var errONNX = errors.New("not an ONNX model as expected")

// readInitializers returns the fp32 initializers of an ONNX model in graph
// order. It reads only the fields that it needs: ModelProto.graph (7),
// GraphProto.initializer (5), TensorProto.dims (1), data_type (2), name (8)
// and raw_data (9), numbered as in onnx.proto3.
func readInitializers(model []byte) ([]tensor, error) {
	var out []tensor
	err := fields(model, func(num int, _ uint64, graph []byte) error {
		if num != 7 {
			return nil
		}
		return fields(graph, func(num int, _ uint64, raw []byte) error {
			if num != 5 {
				return nil
			}
			t, ok, err := readTensor(raw)
			if ok {
				out = append(out, t)
			}
			return err
		})
	})
	return out, err
}

// readTensor reads a tensor. ok is false if it is not fp32.
func readTensor(raw []byte) (t tensor, ok bool, err error) {
	kind, size := uint64(0), 1
	var data []byte
	err = fields(raw, func(num int, n uint64, b []byte) error {
		switch {
		case num == 1 && b != nil: // packed
			for len(b) > 0 {
				d, k := binary.Uvarint(b)
				if k <= 0 {
					return errONNX
				}
				t.dims, b = append(t.dims, int(d)), b[k:]
			}
		case num == 1:
			t.dims = append(t.dims, int(n))
		case num == 2:
			kind = n
		case num == 8:
			t.name = string(b)
		case num == 9:
			data = b
		}
		return nil
	})
	if err != nil || kind != 1 { // 1 is FLOAT
		return t, false, err
	}
	for _, d := range t.dims {
		if d < 1 || d > len(data)/4/size {
			return t, false, fmt.Errorf("%w: tensor %q has %d bytes for its shape", errONNX, t.name, len(data))
		}
		size *= d
	}
	if size*4 != len(data) {
		return t, false, fmt.Errorf("%w: tensor %q has %d bytes for %d values", errONNX, t.name, len(data), size)
	}
	t.data = make([]float32, size)
	for i := range t.data {
		t.data[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
	}
	return t, true, nil
}

// graph holds the tensors of an ONNX model.
type graph struct {
	byName map[string]tensor
	// matrices are the remaining two-dimensional tensors without a name, in graph order. For
	// the weights of a linear layer, the exporter stores the transposed matrix, [in, out], as a
	// new constant without the layer's name.
	matrices []tensor
}

func newGraph(model []byte) (*graph, error) {
	tensors, err := readInitializers(model)
	if err != nil {
		return nil, err
	}
	g := &graph{byName: map[string]tensor{}}
	for _, t := range tensors {
		if strings.HasPrefix(t.name, "onnx::MatMul_") {
			g.matrices = append(g.matrices, t)
			continue
		}
		g.byName[t.name] = t
	}
	return g, nil
}

func (g *graph) dims(name string) ([]int, error) {
	t, ok := g.byName[name]
	if !ok {
		return nil, fmt.Errorf("%w: no tensor %q", errONNX, name)
	}
	return t.dims, nil
}

func (g *graph) values(name string, from, n int) ([]float32, error) {
	return g.byName[name].data[from:][:n], nil
}

// linear returns the next of matrices. It checks its shape, and so whether the order is as
// expected.
func (g *graph) linear(name string, in, out int) ([]float32, error) {
	if len(g.matrices) == 0 || len(g.matrices[0].dims) != 2 || g.matrices[0].dims[0] != in || g.matrices[0].dims[1] != out {
		return nil, fmt.Errorf("%w: no matrix [%d, %d] for %q", errONNX, in, out, name)
	}
	t := g.matrices[0]
	g.matrices = g.matrices[1:]
	return t.data, nil
}

// fields calls f for each field of a protocol buffers message. For a varint, n is the value and
// b is nil; for a length-delimited field, b is its bytes. It skips fixed-size fields.
func fields(msg []byte, f func(num int, n uint64, b []byte) error) error {
	for len(msg) > 0 {
		key, k := binary.Uvarint(msg)
		if k <= 0 {
			return errONNX
		}
		msg = msg[k:]
		num, n := int(key>>3), uint64(0)
		b := []byte(nil)
		switch key & 7 {
		case 0, 2:
			if n, k = binary.Uvarint(msg); k <= 0 {
				return errONNX
			}
			msg = msg[k:]
			if key&7 == 2 {
				if n > uint64(len(msg)) {
					return errONNX
				}
				b, msg = msg[:n:n], msg[n:]
			}
		case 1, 5:
			size := 8
			if key&7 == 5 {
				size = 4
			}
			if size > len(msg) {
				return errONNX
			}
			msg = msg[size:]
			continue
		default:
			return errONNX
		}
		if err := f(num, n, b); err != nil {
			return err
		}
	}
	return nil
}
