"""The official Python client of A2A 0.3 calls the chapel: it sends, streams, gets and cancels.

Usage: client_0_3.py BASE_URL PRICE. Everything that comes back is searched for the price.
"""

import asyncio
import gc
import sys
from uuid import uuid4

import httpx
from a2a.client import ClientConfig, ClientFactory, minimal_agent_card
from a2a.types import Message, Part, Role, TaskIdParams, TaskQueryParams, TaskState, TextPart

ON_REQUEST = "https://agent-capability.org/ext/on-request/v1"
ADDRESS = "https://ask.larkfield.example/talk"
QUESTION = "What does a cremation cost at Larkfield Chapel?"
PARAPHRASE = "Roughly, how much would it be to have my father cremated?"


class Recorder(httpx.AsyncHTTPTransport):
    """Keeps the head and every byte of each reply."""

    def __init__(self):
        super().__init__()
        self.heads, self.bodies = [], []

    async def handle_async_request(self, request):
        response = await super().handle_async_request(request)
        self.heads.append(response.headers)
        self.bodies.append(bytearray())
        kept, stream = self.bodies[-1], response.stream

        class Kept(httpx.AsyncByteStream):
            async def __aiter__(self):
                async for chunk in stream:
                    kept.extend(chunk)
                    yield chunk

            async def aclose(self):
                await stream.aclose()

        return httpx.Response(response.status_code, headers=response.headers, stream=Kept(), extensions=response.extensions)


class Caller:
    """One client of the SDK, which activates On Request or does not."""

    def __init__(self, url, transport, active, streaming):
        self.recorder = Recorder()
        config = ClientConfig(
            streaming=streaming,
            httpx_client=httpx.AsyncClient(transport=self.recorder, timeout=30, headers={"Authorization": "Bearer demo-acme"}),
            supported_transports=[transport],
            extensions=[ON_REQUEST] if active else [],
        )
        card = minimal_agent_card(url, [transport])
        card.capabilities.streaming = streaming
        self.active, self.client = active, ClientFactory(config).create(card)

    async def send(self, text):
        message = Message(message_id=str(uuid4()), role=Role.user, parts=[Part(root=TextPart(text=text))])
        return [event async for event in self.client.send_message(message)]

    def check_reply(self, price):
        head, body = self.recorder.heads[-1], bytes(self.recorder.bodies[-1])
        assert price.encode() not in body and price not in str(head), f"the price is in {body}"
        assert (ON_REQUEST.encode() in body) == self.active, body
        assert (head.get("x-a2a-extensions") == ON_REQUEST) == self.active, head


def check_referral(message, active):
    assert isinstance(message, Message) and message.role == Role.agent, message
    text = message.parts[0].root.text
    assert ADDRESS in text and "Larkfield Chapel" in text, text
    mark = (message.metadata or {}).get(ON_REQUEST)
    if active:
        assert mark == {"status": "on-request", "skillId": "service-pricing", "personEntry": ADDRESS}, mark
        assert message.extensions == [ON_REQUEST], message.extensions
    else:
        assert mark is None and not message.extensions, message
    return text


async def questions(url, transport, price):
    """The card's own question: a message that refers, unary and streaming, with the same words."""
    texts = set()
    for streaming in (False, True):
        for active in (True, False):
            caller = Caller(url, transport, active, streaming)
            [message] = await caller.send(QUESTION)
            texts.add(check_referral(message, active))
            caller.check_reply(price)
    assert len(texts) == 1, texts


async def tasks(url, price):
    """The question in other words: a task that refers, read again with `tasks/get`."""
    for streaming in (False, True):
        for active in (True, False):
            caller = Caller(url, "JSONRPC", active, streaming)
            events = await caller.send(PARAPHRASE)
            caller.check_reply(price)
            task = events[-1][0]
            assert task.status.state == TaskState.completed, task
            check_referral(task.status.message, active)
            assert len(events) == (3 if streaming else 1), events
            again = await caller.client.get_task(TaskQueryParams(id=task.id))
            caller.check_reply(price)
            assert again.status.state == TaskState.completed, again
            check_referral(again.status.message, active)


async def own(url):
    """What is not on request is the agent's own: a public answer, and a task that waits."""
    caller = Caller(url, "JSONRPC", True, False)
    [message] = await caller.send("When can I visit Larkfield Chapel?")
    assert "08:30" in message.parts[0].root.text and not message.metadata, message
    [(task, _)] = await caller.send("Has the transfer happened?")
    assert task.status.state == TaskState.auth_required, task
    cancelled = await caller.client.cancel_task(TaskIdParams(id=task.id))
    assert cancelled.status.state == TaskState.canceled, cancelled


async def main(base, price):
    await questions(f"{base}/a2a/v1", "JSONRPC", price)
    await tasks(f"{base}/a2a/v1", price)
    await own(f"{base}/a2a/v1")
    # The chapel serves 0.3 over JSON-RPC; over HTTP+JSON only the gate speaks it.
    await questions(f"{base}/a2a/rest", "HTTP+JSON", price)
    # What the SDK has left half read is closed while there is a loop to do it.
    gc.collect()
    await asyncio.sleep(0.1)
    print("the Python client of 0.3: sent, streamed, got and cancelled")


asyncio.run(main(*sys.argv[1:]))
