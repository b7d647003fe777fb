from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset
from ..types import without_unset as _without_unset

from ..types import UNSET, Unset
from typing import cast

if TYPE_CHECKING:
  from ..models.batch_problem import BatchProblem
  from ..models.entry import Entry





T = TypeVar("T", bound="BatchOutcome")



@_without_unset
@_attrs_define
class BatchOutcome:
    """ What the single call would have answered: `entry` of a put or get, or `problem`.

        Attributes:
            status (int): 201, 200, 204, 304, or that of the problem.
            etag (str | Unset): Of a put or get: as the header ETag, with its quotes.
            entry (Entry | Unset):  Example: {'id': '01982f6e-7c1a-7d3e-9b55-2f4f6f3c8a01', 'store_id': 'agent-7',
                'owner_id': 'agent-7', 'namespace': '', 'key': 'seat', 'label': 'PUBLIC', 'value': 'Anna prefers the window seat
                on trains.', 'type': '', 'description': '', 'tags': ['travel'], 'in_context': True, 'encrypted': False,
                'version': 1, 'created_at': '2026-01-05T09:00:00Z', 'updated_at': '2026-01-05T09:00:00Z', 'updated_by':
                'agent-7'}.
            problem (BatchProblem | Unset): Why an item was refused.
     """

    status: int
    etag: str | Unset = UNSET
    entry: Entry | Unset = UNSET
    problem: BatchProblem | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        from ..models.batch_problem import BatchProblem # noqa: PLC0415
        from ..models.entry import Entry # noqa: PLC0415
        status = self.status

        etag = self.etag

        entry: dict[str, Any] | Unset = UNSET
        if not isinstance(self.entry, Unset):
            entry = self.entry.to_dict()

        problem: dict[str, Any] | Unset = UNSET
        if not isinstance(self.problem, Unset):
            problem = self.problem.to_dict()


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "status": status,
        })
        if etag is not UNSET:
            field_dict["etag"] = etag
        if entry is not UNSET:
            field_dict["entry"] = entry
        if problem is not UNSET:
            field_dict["problem"] = problem

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.batch_problem import BatchProblem # noqa: PLC0415
        from ..models.entry import Entry # noqa: PLC0415
        d = dict(src_dict)
        status = d.pop("status")

        etag = d.pop("etag", UNSET)

        _entry = d.pop("entry", UNSET)
        entry: Entry | Unset
        if isinstance(_entry,  Unset):
            entry = UNSET
        else:
            entry = Entry.from_dict(_entry)




        _problem = d.pop("problem", UNSET)
        problem: BatchProblem | Unset
        if isinstance(_problem,  Unset):
            problem = UNSET
        else:
            problem = BatchProblem.from_dict(_problem)




        batch_outcome = cls(
            status=status,
            etag=etag,
            entry=entry,
            problem=problem,
        )

        return batch_outcome

