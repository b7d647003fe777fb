package oracle

import "slices"

// Believe returns the state that views show. A view that contradicts itself, with a
// list, a history or terms that differ from the row, also contradicts that state.
// Views do not show the values of former versions in the trash, so these values are
// unknown, "".
func Believe(views []View) State {
	state := State{}
	for _, v := range views {
		var slot Slot
		if v.Found {
			values := slices.Clone(v.Versions)
			slices.Reverse(values)
			for len(values) < v.Version { // the history no longer has them
				values = slices.Insert(values, 0, "")
			}
			slot.Live = &Entry{ID: v.ID, Values: values, Expires: Window{v.Expires, v.Expires}}
		}
		for _, row := range slices.Backward(v.Trash) {
			e := Entry{ID: row.ID, Values: make([]string, row.Version), Deleted: Window{v.At.From.Add(-1), v.At.From}}
			e.Values[row.Version-1] = row.Value
			slot.Trash = append(slot.Trash, e)
		}
		state[v.Path] = slot
	}
	return state
}
