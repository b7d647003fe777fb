"""The synchronous client. Made of aio.py by generate.py."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from datetime import timedelta
from types import TracebackType
from typing import Any, List, Protocol

import httpx

from . import call, moment, route
from .generated.models import (
    Account,
    Answer,
    BatchResult,
    Change,
    Charge,
    Entry,
    Grant,
    ImportResult,
    Language,
    Offer,
    OfferPage,
    Page,
    SalesRow,
    StoreInfo,
    StoreLanguage,
    Trashed,
    TrashPage,
    Usage,
    UsedCharge,
    Written,
)


class Payer(Protocol):
    """Pays for a search; x402.http.x402_http_client.x402HTTPClientSync implements it."""

    def handle_402_response(self, headers: dict[str, str], body: bytes | None, request_url: str) -> tuple[dict[str, str], Any]:
        """Returns the headers of a payment for an answer of status 402."""


class Mneme:
    """Calls one server. Close it, or use it as a context manager.

    url is the server's address and token identifies the caller: by default MNEME_URL,
    else http://127.0.0.1:7077, and MNEME_TOKEN. Calls to a server on this machine bypass
    the proxies of the environment. Times may be datetimes with a zone, or dates, and
    durations timedeltas. A call is retried, at most retries times, if the server was
    overloaded (429), and, if it is idempotent, also when the server was unavailable (503)
    or the connection failed. payer, unless None, pays for searches of offers that
    require a payment.

    Calls raise MnemeError, or one of its subclasses by status, and TransportFailed if
    the server cannot be reached. Their texts never contain request data.
    """

    def __init__(
        self,
        url: str | None = None,
        token: str | None = None,
        *,
        timeout: float | timedelta = 60,
        retries: int = 3,
        payer: Payer | None = None,
        transport: httpx.BaseTransport | None = None,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        url = route.address(url)
        self._http = httpx.Client(
            base_url=url,
            timeout=timeout.total_seconds() if isinstance(timeout, timedelta) else timeout,
            transport=transport,
            trust_env=not route.is_direct(url),
            headers={"Authorization": f"Bearer {route.credential(token)}", "User-Agent": call.user_agent()},
        )
        self._proxy = route.proxy(url) if transport is None else ""
        self._host = self._http.base_url.netloc.decode()
        self._retries, self._pause, self._payer = retries, pause, payer

    def __enter__(self) -> Mneme:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections."""
        self._http.close()

    # Entries

    def put(
        self,
        key: str,
        value: Any,
        *,
        store: str = "self",
        namespace: str = "",
        type: str | None = None,
        description: str | None = None,
        tags: List[str] | None = None,
        in_context: bool | None = None,
        encrypted: bool | None = None,
        ttl: moment.Duration | None = None,
        occurred_at: moment.Moment | None = None,
        timezone: str | None = None,
        source: Any = None,
        wait: bool = False,
        similar: bool = False,
        if_match: str | None = None,
        if_none_match: str | None = None,
    ) -> Written:
        """Writes an entry; ttl is in seconds. With wait, returns when the vector leg can find
        it, or at the server's time limit, with indexed False. With similar, names entries that
        nearly repeat or contradict it. if_none_match="*" only creates."""
        body = call.given(
            type=type,
            description=description,
            tags=tags,
            in_context=in_context,
            encrypted=encrypted,
            ttl=moment.seconds(ttl, "ttl"),
            occurred_at=moment.written(occurred_at, "occurred_at", timezone),
            timezone=timezone,
            source=source,
        )
        params = call.given(namespace=namespace, wait="indexed" if wait else None, similar=similar or None)
        conditions = call.headers(match=if_match, none_match=if_none_match)
        return Written.from_dict(
            self._json(
                "PUT", call.memories(store, call.segment(key)), safe=False, params=params, headers=conditions, json={"value": value, **body}
            )
        )

    def get(
        self, key: str, *, store: str = "self", namespace: str = "", as_of: str | None = None, timezone: str | None = None
    ) -> tuple[Entry, str]:
        """Reads an entry and its ETag, for if_match; with as_of, the entry as it was at that time, in timezone."""
        params = call.given(namespace=namespace, as_of=as_of, timezone=timezone)
        response = self._call("GET", call.memories(store, call.segment(key)), params=params)
        return Entry.from_dict(call.decoded(response, self._host)), response.headers.get("etag", "")

    def changed(self, key: str, etag: str, *, store: str = "self", namespace: str = "") -> tuple[Entry, str] | None:
        """Reads an entry and its ETag, or returns None if the entry still has this ETag."""
        response = self._call(
            "GET", call.memories(store, call.segment(key)), params={"namespace": namespace}, headers=call.headers(none_match=etag)
        )
        if response.status_code == 304:
            return None
        return Entry.from_dict(call.decoded(response, self._host)), response.headers.get("etag", "")

    def delete(self, key: str, *, store: str = "self", namespace: str = "", if_match: str | None = None) -> None:
        """Moves an entry to the trash."""
        self._call(
            "DELETE", call.memories(store, call.segment(key)), safe=False, params={"namespace": namespace}, headers=call.headers(match=if_match)
        )

    def restore(self, key: str, *, store: str = "self", namespace: str = "", version: int | None = None) -> Entry:
        """Restores a version, or without one the most recently deleted entry."""
        return Entry.from_dict(
            self._json(
                "POST",
                call.memories(store, call.segment(key), "restore"),
                params={"namespace": namespace},
                headers=call.headers(key=str(uuid.uuid4())),
                json=call.given(version=version),
            )
        )

    def rename(
        self, key: str, to: str, *, store: str = "self", namespace: str = "", to_namespace: str | None = None, to_store: str | None = None
    ) -> Entry:
        """Moves an entry to another key, optionally in another namespace or store."""
        return Entry.from_dict(
            self._json(
                "POST",
                call.memories(store, call.segment(key), "rename"),
                params={"namespace": namespace},
                headers=call.headers(key=str(uuid.uuid4())),
                json=call.given(to=to, to_namespace=to_namespace, to_store=to_store),
            )
        )

    def batch(
        self, items: List[dict[str, Any]], *, store: str = "self", atomic: bool = False, idempotency_key: str | None = None
    ) -> BatchResult:
        """Performs up to 1,000 puts, gets and deletes, in order; with atomic, all or none. Repeating it
        with the same idempotency_key has no further effect; without one, each call has its own."""
        return BatchResult.from_dict(
            self._json(
                "POST",
                call.memories(store) + ":batch",
                headers=call.headers(key=idempotency_key or str(uuid.uuid4())),
                json={"items": [moment.entry(item, f"items[{i}]") for i, item in enumerate(items)], "atomic": atomic},
            )
        )

    # Lists

    def list(
        self,
        *,
        store: str = "self",
        namespace: str | None = None,
        prefix: str | None = None,
        type: str | None = None,
        tag: str | List[str] | None = None,
        as_of: str | None = None,
        where: Mapping[str, Any] | None = None,
        timezone: str | None = None,
        match: Mapping[str, Any] | None = None,
    ) -> Iterator[Entry]:
        """Yields a store's entries, by namespace and key, page after page. They have all of several
        tags; as_of lists the entries of a past time; timezone applies to times without a zone."""
        params = call.filters(where, match, namespace=namespace, prefix=prefix, type=type, tag=tag, as_of=as_of, timezone=timezone)
        for page in self._pages(call.memories(store), params):
            for entry in Page.from_dict(page).items:
                yield entry

    def versions(self, key: str, *, store: str = "self", namespace: str = "") -> Iterator[Entry]:
        """Yields an entry's versions, newest first."""
        for page in self._pages(call.memories(store, call.segment(key), "versions"), {"namespace": namespace}):
            for entry in Page.from_dict(page).items:
                yield entry

    def trash(self, *, store: str = "self") -> Iterator[Trashed]:
        """Yields the deleted entries, latest deletion first."""
        for page in self._pages(f"/v1/stores/{call.segment(store)}/trash", {}):
            for entry in TrashPage.from_dict(page).items:
                yield entry

    def changes(self, *, store: str = "self", since: str | None = None, wait: moment.Duration = 0) -> tuple[List[Change], str]:
        """Reads the changes since a cursor, and the next cursor. Without since: no changes, and
        the current cursor. It waits up to wait seconds, at most 30, for a change."""
        page = self._json("GET", f"/v1/stores/{call.segment(store)}/changes", params=call.given(since=since, wait=moment.seconds(wait, "wait")))
        return [Change.from_dict(change) for change in page["changes"]], page["next_cursor"]

    def follow(self, *, store: str = "self", since: str | None = None) -> Iterator[tuple[Change, str]]:
        """Yields changes as they happen, each with the cursor to continue from. It raises Gone if
        a cursor is too old: read the store again."""
        if since is None:
            _, since = self.changes(store=store)
        while True:
            changes, after = self.changes(store=store, since=since, wait=25)
            for i, change in enumerate(changes):
                yield change, after if i == len(changes) - 1 else since
            since = after

    def export(
        self,
        *,
        store: str = "self",
        where: Mapping[str, Any] | None = None,
        timezone: str | None = None,
        match: Mapping[str, Any] | None = None,
    ) -> Iterator[dict[str, Any]]:
        """Yields all entries that the caller can list, or those that match, in the format of
        import_entries. It raises TransportFailed if the export is incomplete."""
        params = call.filters(where, match, timezone=timezone)
        request = self._http.build_request("GET", f"/v1/stores/{call.segment(store)}/export", params=params)
        try:
            response = self._http.send(request, stream=True)
            with ExitStack() as stack:
                stack.callback(response.close)
                if not response.is_success:
                    response.read()
                    raise call.refused(response, self._host)
                lines = call.Lines()
                for chunk in response.iter_bytes():
                    for line in lines.of(chunk):
                        yield call.decoded_line(line, self._host)
                for line in lines.of(b"\n"):  # the last one, if the answer ends without a newline
                    yield call.decoded_line(line, self._host)
        except httpx.TransportError:
            raise call.failed(self._host, self._proxy) from None

    def import_entries(self, entries: Iterable[Mapping[str, Any]], *, store: str = "self") -> ImportResult:
        """Writes many entries, each like a put, and returns the outcomes. The result lists refused
        lines; the others are written. It can be repeated."""
        body = b"".join(json.dumps(moment.entry(entry, f"entries[{i}]")).encode() + b"\n" for i, entry in enumerate(entries))
        return ImportResult.from_dict(
            self._json(
                "POST",
                f"/v1/stores/{call.segment(store)}/import",
                content=body,
                headers={"Content-Type": call.LINES, **call.headers(key=str(uuid.uuid4()))},
            )
        )

    def index(self, *, store: str = "self") -> str:
        """Reads MEMORY.md: the index of a store, one line per entry."""
        return (self._call("GET", f"/v1/stores/{call.segment(store)}/MEMORY.md")).text

    # Search

    def search(
        self,
        query: str | None = None,
        *,
        queries: List[str] | None = None,
        stores: List[str] | None = None,
        namespace: str | None = None,
        tags: List[str] | None = None,
        type: str | None = None,
        where: Mapping[str, Any] | None = None,
        timezone: str | None = None,
        match: Mapping[str, Any] | None = None,
        limit: int | None = None,
        mode: str | None = None,
        ranking: str | None = None,
        min_relevance: float | None = None,
        nearest: int | None = None,
        recency: Mapping[str, Any] | None = None,
        diversity: float | None = None,
        typos: bool | None = None,
        dates: bool | None = None,
        as_of: str | None = None,
        max_tokens: int | None = None,
        passages: bool | None = None,
        max_charge: int | None = None,
        explain: bool | Mapping[str, Any] | None = None,
        cursor: str | None = None,
        idempotency_key: str | None = None,
    ) -> Answer:
        """Asks a question, or several wordings of it. If no entry reaches min_relevance, the answer
        names up to nearest of the nearest entries; typos=False searches the words only as written,
        and dates=False treats times in the question as words. as_of searches the entries of a past
        time. With max_charge, in micros, searches of named stores may be charged: a repetition
        with the same idempotency_key is not charged again."""
        question = call.given(
            query=query,
            queries=queries,
            stores=stores,
            namespace=namespace,
            tags=tags,
            type=type,
            where=moment.written(where, "where", timezone),
            timezone=timezone,
            match=match,
            limit=limit,
            mode=mode,
            ranking=ranking,
            min_relevance=min_relevance,
            nearest=nearest,
            recency=moment.written(recency, "recency"),
            diversity=diversity,
            typos=typos,
            dates=dates,
            as_of=as_of,
            max_tokens=max_tokens,
            passages=passages,
            max_charge=max_charge,
            explain=explain,
            cursor=cursor,
        )
        if max_charge is not None and idempotency_key is None:
            idempotency_key = str(uuid.uuid4())
        return Answer.from_dict(self._json("POST", "/v1/search", headers=call.headers(key=idempotency_key), json=question))

    def search_offer(
        self,
        offer: str,
        query: str,
        *,
        limit: int | None = None,
        min_relevance: float | None = None,
        max_tokens: int | None = None,
        passages: bool | None = None,
        max_charge: int | None = None,
        idempotency_key: str | None = None,
    ) -> Answer:
        """Buys a search of an offer: from the account, or by the payer if there is one."""
        question = call.given(query=query, limit=limit, min_relevance=min_relevance, max_tokens=max_tokens, passages=passages, max_charge=max_charge)
        return Answer.from_dict(
            self._json(
                "POST",
                f"/v1/offers/{call.segment(offer)}/search",
                headers=call.headers(key=idempotency_key or str(uuid.uuid4())),
                json=question,
                paid=True,
            )
        )

    # Sharing and selling

    def stores(self) -> List[StoreInfo]:
        """Lists the stores that the caller can access, with its level on each."""
        return [StoreInfo.from_dict(each) for each in (self._json("GET", "/v1/stores"))["stores"]]

    def set_language(self, language: Language, *, store: str = "self") -> StoreLanguage:
        """Chooses the models that read a store: language is auto, english or multilingual."""
        return StoreLanguage.from_dict(self._json("PUT", f"/v1/stores/{call.segment(store)}/language", safe=False, json={"language": language}))

    def grants(self, *, store: str = "self") -> List[Grant]:
        """Lists the grants of a store."""
        return [Grant.from_dict(each) for each in (self._json("GET", f"/v1/stores/{call.segment(store)}/grants"))["grants"]]

    def share(
        self,
        agent: str,
        level: str,
        *,
        store: str = "self",
        ttl: moment.Duration | None = None,
        max_label: str | None = None,
        caps: Mapping[str, Any] | None = None,
    ) -> None:
        """Shares a store with an agent: level is search, read or readwrite, ttl in seconds. caps
        limit level search: searches_per_hour and entries_per_day."""
        self._call(
            "PUT",
            f"/v1/stores/{call.segment(store)}/grants/{call.segment(agent)}",
            safe=False,
            json=call.given(level=level, ttl=moment.seconds(ttl, "ttl"), max_label=max_label, caps=caps),
        )

    def unshare(self, agent: str, *, store: str = "self", cascade: bool = False) -> None:
        """Revokes the grant of a store to an agent. If agent is the caller, it ends or refuses the
        grant. With cascade the dependent grants end too."""
        self._call(
            "DELETE",
            f"/v1/stores/{call.segment(store)}/grants/{call.segment(agent)}",
            safe=False,
            params=call.given(cascade=cascade or None),
        )

    def accept_grant(self, store: str) -> None:
        """Accepts a store that was shared with the caller: searches without named stores include it."""
        self._call("POST", f"/v1/stores/{call.segment(store)}/accept")

    def create_offer(
        self,
        title: str,
        description: str,
        terms: Mapping[str, Any],
        *,
        caps: Mapping[str, Any] | None = None,
        idempotency_key: str | None = None,
    ) -> Offer:
        """Offers searches of the caller's own store; prices in terms are in micros."""
        return Offer.from_dict(
            self._json(
                "POST",
                "/v1/stores/self/offers",
                headers=call.headers(key=idempotency_key or str(uuid.uuid4())),
                json=call.given(title=title, description=description, terms=terms, caps=caps),
            )
        )

    def offers(self) -> Iterator[Offer]:
        """Yields the offers of searches that the caller may accept."""
        for page in self._pages("/v1/offers", {}):
            for offer in OfferPage.from_dict(page).offers:
                yield offer

    def store_offers(self) -> List[Offer]:
        """Lists the offers of the caller's own store, including withdrawn ones."""
        return [Offer.from_dict(each) for each in (self._json("GET", "/v1/stores/self/offers"))["offers"]]

    def offer(self, offer: str) -> tuple[Offer, str]:
        """Reads an offer and its ETag, for if_match."""
        response = self._call("GET", f"/v1/offers/{call.segment(offer)}")
        return Offer.from_dict(call.decoded(response, self._host)), response.headers.get("etag", "")

    def change_offer(
        self,
        offer: str,
        *,
        title: str | None = None,
        description: str | None = None,
        terms: Mapping[str, Any] | None = None,
        caps: Mapping[str, Any] | None = None,
        if_match: str | None = None,
    ) -> Offer:
        """Changes the given fields of an offer and its terms; caps are replaced as a whole."""
        return Offer.from_dict(
            self._json(
                "PUT",
                f"/v1/offers/{call.segment(offer)}",
                safe=False,
                headers=call.headers(match=if_match),
                json=call.given(title=title, description=description, terms=terms, caps=caps),
            )
        )

    def withdraw_offer(self, offer: str, *, if_match: str | None = None) -> None:
        """Withdraws an offer. Grants that were made under it continue."""
        self._call("DELETE", f"/v1/offers/{call.segment(offer)}", safe=False, headers=call.headers(match=if_match))

    def sales(self, *, from_: moment.Moment | None = None, to: moment.Moment | None = None, by: str | None = None) -> List[SalesRow]:
        """Sums the sales of the caller's own store between two dates or times, by day, buyer or
        offer."""
        params = call.given(**{"from": moment.written(from_, "from_")}, to=moment.written(to, "to"), by=by)
        return [SalesRow.from_dict(each) for each in (self._json("GET", "/v1/stores/self/sales", params=params))["items"]]

    def accept(self, offer: str, *, if_match: str | None = None) -> Grant:
        """Accepts an offer, whose searches are then paid from the account. if_match is the
        accepted version of the offer."""
        return Grant.from_dict(
            self._json("POST", f"/v1/offers/{call.segment(offer)}/accept", headers=call.headers(match=if_match, key=str(uuid.uuid4())))
        )

    def account(self) -> Account:
        """Reads the caller's account; balance is in micros."""
        return Account.from_dict(self._json("GET", "/v1/account"))

    def usage(self) -> Iterator[UsedCharge]:
        """Yields the caller's charges, newest first."""
        for page in self._pages("/v1/usage", {}):
            for charge in Usage.from_dict(page).items:
                yield charge

    def refund(self, charge: str) -> Charge:
        """Refunds a charge to a buyer of the caller's."""
        return Charge.from_dict(self._json("POST", f"/v1/charges/{call.segment(charge)}/refund", headers=call.headers(key=str(uuid.uuid4()))))

    # Calls

    def _pages(self, path: str, params: dict[str, Any]) -> Iterator[dict[str, Any]]:
        params = {**params, "limit": call.PAGE}
        while True:
            page = self._json("GET", path, params=params)
            yield page
            if not page.get("next_cursor"):
                return
            params["cursor"] = page["next_cursor"]

    def _json(self, method: str, path: str, **request: Any) -> Any:
        return call.decoded(self._call(method, path, **request), self._host)

    def _call(self, method: str, path: str, *, safe: bool = True, paid: bool = False, **request: Any) -> httpx.Response:
        """Sends a request. safe means that it is idempotent; paid means that the payer may pay
        for it, once."""
        path, request = call.placed(path, request)
        attempt = 0
        while True:
            attempt += 1
            try:
                response = self._http.request(method, path, **request)
            except httpx.TransportError:
                if attempt > self._retries or not safe:
                    raise call.failed(self._host, self._proxy) from None
                self._pause(call.backoff(attempt))
                continue
            if response.is_success or response.status_code == 304:
                return response
            if response.status_code == 402 and paid and self._payer is not None:
                payment, _ = self._payer.handle_402_response(dict(response.headers), response.content, str(response.url))
                request["headers"] = {**request.get("headers", {}), **payment}
                paid = False
                continue
            error = call.refused(response, self._host)
            wait = call.pause_before(error, attempt, safe)
            if wait is None or attempt > self._retries:
                raise error
            self._pause(wait)
