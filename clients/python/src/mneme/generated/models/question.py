from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset
from ..types import without_unset as _without_unset

from ..models.question_mode import check_question_mode
from ..models.question_mode import QuestionMode
from ..models.question_ranking import check_question_ranking
from ..models.question_ranking import QuestionRanking
from ..models.type_ import check_type
from ..models.type_ import Type
from ..types import UNSET, Unset
from typing import cast

if TYPE_CHECKING:
  from ..models.condition import Condition
  from ..models.explained_path import ExplainedPath
  from ..models.recency import Recency
  from ..models.words import Words





T = TypeVar("T", bound="Question")



@_without_unset
@_attrs_define
class Question:
    """ It has `query` or `queries`, and not both.

        Attributes:
            query (str | Unset): Any text that is not blank, at most 16,000 bytes by default.
            queries (list[str] | Unset): Several wordings of the question in place of `query`, together at most as long as
                one. Their hits are fused, and a hit's relevance is its best over the wordings. Leaves out stores that the
                caller may search but not read.
            stores (list[str] | Unset): Search only these stores. The caller must have access to each; `self` is its own.
            namespace (str | Unset): At most 256 bytes of UTF-8 in NFC, without control, format or line-separator
                characters; empty by default.
            tags (list[str] | Unset):
            type_ (Type | Unset): What kind of memory it is; may be empty.
            where (Condition | Unset): Fields with operators, all of which must hold; `and`, `or` and `not` combine
                conditions. It judges the
                entry that a path resolves to. `value.a.b` names a member of a value that is a JSON object; it takes the
                operators of MemberCondition. A field that is absent (no type, tags, `occurred_at` or `expires_at`, no such
                member or a null one, any member of an encrypted value) fits `exists: false`, `ne`, `nin` and `not` alone.

                At most 64 comparisons, 8 levels of `and`, `or` and `not` (several members count as an `and`), and
                64 KiB. Strings are at most 512 bytes, and compared byte by byte. 422 names the place of what is wrong, such as
                `where.and[1].updated_at.gte`. Stores that the caller may search but not read are left out, or 403 if named.
                 Example: {'updated_at': {'gte': '2026-05-01'}, 'tags': {'contains': 'travel'}}.
            timezone (str | Unset): The zone of dates and times that have none: a name of the IANA database
                (`Europe/Berlin`), or an
                offset from UTC (`+02:00`, in a URL `%2B02:00`). UTC by default. Another one is 422.
                 Example: Europe/Berlin.
            match (Words | Unset): Exact words of the value's text, the key, the description and the tags: `all` of the
                items must be there, at
                least one of `any`, and none of `none`; at most 32 items. An item is a word or, with several words, a phrase:
                adjacent and in order, in one field. It stands for words with the same stem, whatever their case and accents;
                stop words count. `pea*` is a prefix, of two letters at least, of a word as written or of a stem. Compounds
                (`e-mail`, `build_status`, `buildStatus`) are found as a whole and by their parts, and scripts without spaces
                by any run of characters. Encrypted entries never match.

                422 names the place of what is wrong, such as `match.any[2]`; also if a prefix stands for more than 1,000 words
                of a store. Stores that the caller may search but not read are left out, or 403 if named.
                 Example: {'all': ['adrenaline pen'], 'any': ['pea*', 'peanut'], 'none': ['draft']}.
            limit (int | Unset):  Default: 10.
            mode (QuestionMode | Unset): Which legs look for hits: both, the words alone, or the meaning alone. Relevance is
                the same in every mode. If the only leg that looks fails, so does the search (503). Named, it leaves out stores
                that the caller may search but not read. Default: 'hybrid'.
            ranking (QuestionRanking | Unset): What orders the hits: `relevance`, or `rrf`, the Reciprocal Rank Fusion of
                the ranks in both legs. Named, it leaves out stores that the caller may search but not read. Default:
                'relevance'.
            min_relevance (float | Unset): Leave out hits of less relevance. The answer may be empty: nothing relevant was
                found. For stores that the caller may search but not read it is rounded to two digits, as their hits are.
                Default: 0.0.
            nearest (int | Unset): If nothing reaches `min_relevance`, name up to so many entries that come closest, as
                `nearest` of the answer. Leaves out stores that the caller may search but not read. Default: 0.
            cursor (str | Unset): Empty, it asks for `next_cursor`; else it is the `next_cursor` of an answer, for the page
                after it. All other options are repeated, else it is not valid (400), as it is not for another caller or
                session. The candidates are those of the first page, at most 400, in their order then; each page judges anew
                what the caller may see and what passes the filter. With it, stores that the caller may search but not read are
                left out: their hits are on the first page alone.
            recency (Recency | Unset): Order hits by relevance · (1 − weight + weight · 2^(−age ÷ half_life)). It leaves
                none out, and `min_relevance` still judges the relevance itself. The age is counted from `occurred_at`, or else
                from `updated_at`, and is never negative. Not with ranking `rrf` (422). Leaves out stores that the caller may
                search but not read. Example: {'half_life': '30d', 'weight': 0.5}.
            diversity (float | Unset): Move hits down that resemble a hit before them, by maximal marginal relevance: each
                next hit has the greatest (1 − diversity) · relevance − diversity · similarity, where similarity is the greatest
                to a hit before it, from 0 (nothing in common) to 1 (the same), by the vectors of their nearest chunks. Orders
                the first hundred candidates; not with ranking `rrf` (422). Leaves out stores that the caller may search but not
                read. Default: 0.0.
            typos (bool | Unset): A word that no entry of the searched stores has, of four letters or more and without
                digits, also finds words that differ from it in one letter, or in two from eight letters on: missing, too many,
                another, or two exchanged. They count less than the word itself, and `explain` names them. `false` looks for the
                words of the question alone, and leaves out stores that the caller may search but not read. Default: True.
            dates (bool | Unset): Days, months, years, ranges and words such as `yesterday` that the question names, by the
                time of the request and `timezone`: entries whose `occurred_at` is of that time are candidates, and being of it
                is evidence. A question of nothing else finds the entries of that time in its order, and no others. `false`
                takes them as words alone, and leaves out stores that the caller may search but not read, of which they are
                never more. Default: True.
            as_of (str | Unset): Search what stood at this time: RFC 3339, or in `timezone`; or at the end of a day, month
                or year. Access is that of now. Entries that have changed since are read from history, at most 1,000; of more
                than 100 those without words of the question are found by words alone, and `degraded` has `vector_lag`. Dates
                are words, and no reranker is asked. Leaves out stores that the caller may search but not read. 422 if it is in
                the future, or history does not reach that far. Example: 2026-05-01.
            max_tokens (int | Unset): The hits' keys, descriptions, and values or passages take at most so many tokens of
                the service's own tokenizer (WordPiece of E5, whichever model is in use), counted as text: a string without its
                quotes and escapes, any other value as JSON. The answer ends before the first hit that does not fit, and says
                how many tokens it has. The first hit of all is never left out: if it is too long, it comes as its best passage,
                cut to what fits, without its description if need be. A hit of a store at level `search` that does not fit ends
                the hits of that store alone. Example: 2000.
            passages (bool | Unset): Show values longer than 1,000 bytes by `passages` in place of `value`, and say with
                `highlights` where the words of the query are. The whole value is got by GET. Default: False.
            max_charge (int | Unset): Millionths of a credit; at most a million credits.
            explain (bool | ExplainedPath | Unset): `true` explains the rank and relevance of each hit and what the options
                that restrict the search dropped, and returns the search's timing in `Server-Timing`. The path of an entry also
                asks what became of it: `explain.entry` of the answer. Leaves out stores that the caller may search but not
                read. Example: {'key': 'seat'}.
     """

    query: str | Unset = UNSET
    queries: list[str] | Unset = UNSET
    stores: list[str] | Unset = UNSET
    namespace: str | Unset = UNSET
    tags: list[str] | Unset = UNSET
    type_: Type | Unset = UNSET
    where: Condition | Unset = UNSET
    timezone: str | Unset = UNSET
    match: Words | Unset = UNSET
    limit: int | Unset = 10
    mode: QuestionMode | Unset = 'hybrid'
    ranking: QuestionRanking | Unset = 'relevance'
    min_relevance: float | Unset = 0.0
    nearest: int | Unset = 0
    cursor: str | Unset = UNSET
    recency: Recency | Unset = UNSET
    diversity: float | Unset = 0.0
    typos: bool | Unset = True
    dates: bool | Unset = True
    as_of: str | Unset = UNSET
    max_tokens: int | Unset = UNSET
    passages: bool | Unset = False
    max_charge: int | Unset = UNSET
    explain: bool | ExplainedPath | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        from ..models.condition import Condition # noqa: PLC0415
        from ..models.explained_path import ExplainedPath # noqa: PLC0415
        from ..models.recency import Recency # noqa: PLC0415
        from ..models.words import Words # noqa: PLC0415
        query = self.query

        queries: list[str] | Unset = UNSET
        if not isinstance(self.queries, Unset):
            queries = self.queries



        stores: list[str] | Unset = UNSET
        if not isinstance(self.stores, Unset):
            stores = self.stores



        namespace = self.namespace

        tags: list[str] | Unset = UNSET
        if not isinstance(self.tags, Unset):
            tags = self.tags



        type_: str | Unset = UNSET
        if not isinstance(self.type_, Unset):
            type_ = self.type_


        where: dict[str, Any] | Unset = UNSET
        if not isinstance(self.where, Unset):
            where = self.where.to_dict()

        timezone = self.timezone

        match: dict[str, Any] | Unset = UNSET
        if not isinstance(self.match, Unset):
            match = self.match.to_dict()

        limit = self.limit

        mode: str | Unset = UNSET
        if not isinstance(self.mode, Unset):
            mode = self.mode


        ranking: str | Unset = UNSET
        if not isinstance(self.ranking, Unset):
            ranking = self.ranking


        min_relevance = self.min_relevance

        nearest = self.nearest

        cursor = self.cursor

        recency: dict[str, Any] | Unset = UNSET
        if not isinstance(self.recency, Unset):
            recency = self.recency.to_dict()

        diversity = self.diversity

        typos = self.typos

        dates = self.dates

        as_of = self.as_of

        max_tokens = self.max_tokens

        passages = self.passages

        max_charge = self.max_charge

        explain: bool | dict[str, Any] | Unset
        if isinstance(self.explain, Unset):
            explain = UNSET
        elif isinstance(self.explain, ExplainedPath):
            explain = self.explain.to_dict()
        else:
            explain = self.explain


        field_dict: dict[str, Any] = {}

        field_dict.update({
        })
        if query is not UNSET:
            field_dict["query"] = query
        if queries is not UNSET:
            field_dict["queries"] = queries
        if stores is not UNSET:
            field_dict["stores"] = stores
        if namespace is not UNSET:
            field_dict["namespace"] = namespace
        if tags is not UNSET:
            field_dict["tags"] = tags
        if type_ is not UNSET:
            field_dict["type"] = type_
        if where is not UNSET:
            field_dict["where"] = where
        if timezone is not UNSET:
            field_dict["timezone"] = timezone
        if match is not UNSET:
            field_dict["match"] = match
        if limit is not UNSET:
            field_dict["limit"] = limit
        if mode is not UNSET:
            field_dict["mode"] = mode
        if ranking is not UNSET:
            field_dict["ranking"] = ranking
        if min_relevance is not UNSET:
            field_dict["min_relevance"] = min_relevance
        if nearest is not UNSET:
            field_dict["nearest"] = nearest
        if cursor is not UNSET:
            field_dict["cursor"] = cursor
        if recency is not UNSET:
            field_dict["recency"] = recency
        if diversity is not UNSET:
            field_dict["diversity"] = diversity
        if typos is not UNSET:
            field_dict["typos"] = typos
        if dates is not UNSET:
            field_dict["dates"] = dates
        if as_of is not UNSET:
            field_dict["as_of"] = as_of
        if max_tokens is not UNSET:
            field_dict["max_tokens"] = max_tokens
        if passages is not UNSET:
            field_dict["passages"] = passages
        if max_charge is not UNSET:
            field_dict["max_charge"] = max_charge
        if explain is not UNSET:
            field_dict["explain"] = explain

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.condition import Condition # noqa: PLC0415
        from ..models.explained_path import ExplainedPath # noqa: PLC0415
        from ..models.recency import Recency # noqa: PLC0415
        from ..models.words import Words # noqa: PLC0415
        d = dict(src_dict)
        query = d.pop("query", UNSET)

        queries = cast(list[str], d.pop("queries", UNSET))


        stores = cast(list[str], d.pop("stores", UNSET))


        namespace = d.pop("namespace", UNSET)

        tags = cast(list[str], d.pop("tags", UNSET))


        _type_ = d.pop("type", UNSET)
        type_: Type | Unset
        if isinstance(_type_,  Unset):
            type_ = UNSET
        else:
            type_ = check_type(_type_)




        _where = d.pop("where", UNSET)
        where: Condition | Unset
        if isinstance(_where,  Unset):
            where = UNSET
        else:
            where = Condition.from_dict(_where)




        timezone = d.pop("timezone", UNSET)

        _match = d.pop("match", UNSET)
        match: Words | Unset
        if isinstance(_match,  Unset):
            match = UNSET
        else:
            match = Words.from_dict(_match)




        limit = d.pop("limit", UNSET)

        _mode = d.pop("mode", UNSET)
        mode: QuestionMode | Unset
        if isinstance(_mode,  Unset):
            mode = UNSET
        else:
            mode = check_question_mode(_mode)




        _ranking = d.pop("ranking", UNSET)
        ranking: QuestionRanking | Unset
        if isinstance(_ranking,  Unset):
            ranking = UNSET
        else:
            ranking = check_question_ranking(_ranking)




        min_relevance = d.pop("min_relevance", UNSET)

        nearest = d.pop("nearest", UNSET)

        cursor = d.pop("cursor", UNSET)

        _recency = d.pop("recency", UNSET)
        recency: Recency | Unset
        if isinstance(_recency,  Unset):
            recency = UNSET
        else:
            recency = Recency.from_dict(_recency)




        diversity = d.pop("diversity", UNSET)

        typos = d.pop("typos", UNSET)

        dates = d.pop("dates", UNSET)

        as_of = d.pop("as_of", UNSET)

        max_tokens = d.pop("max_tokens", UNSET)

        passages = d.pop("passages", UNSET)

        max_charge = d.pop("max_charge", UNSET)

        def _parse_explain(data: object) -> bool | ExplainedPath | Unset:
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                componentsschemas_explain_option_type_1 = ExplainedPath.from_dict(data)



                return componentsschemas_explain_option_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(bool | ExplainedPath | Unset, data)

        explain = _parse_explain(d.pop("explain", UNSET))


        question = cls(
            query=query,
            queries=queries,
            stores=stores,
            namespace=namespace,
            tags=tags,
            type_=type_,
            where=where,
            timezone=timezone,
            match=match,
            limit=limit,
            mode=mode,
            ranking=ranking,
            min_relevance=min_relevance,
            nearest=nearest,
            cursor=cursor,
            recency=recency,
            diversity=diversity,
            typos=typos,
            dates=dates,
            as_of=as_of,
            max_tokens=max_tokens,
            passages=passages,
            max_charge=max_charge,
            explain=explain,
        )

        return question

