import { expect, test } from "@jest/globals";
import { createPeers } from "./peers.ts";

function arrange() {
  let nowMs = 1_000;
  const peers = createPeers(() => nowMs);
  function pass(ms: number) {
    nowMs += ms;
  }

  return { peers, pass };
}

test("a replica that leaves its calls unanswered is silent, and an answer ends its silence", () => {
  const { peers, pass } = arrange();
  peers.began("a");
  pass(200);
  expect(peers.isSilent("a")).toBe(false);
  pass(1);
  expect(peers.isSilent("a")).toBe(true);
  peers.ended("a", true);
  expect(peers.isSilent("a")).toBe(false);
});

test("a replica with one slow call is not silent while it answers others", () => {
  const { peers, pass } = arrange();
  peers.began("a");
  for (let at = 0; at < 10; at++) {
    pass(150);
    peers.began("a");
    peers.ended("a", true);
    expect(peers.isSilent("a")).toBe(false);
  }
});

test("after a call without an answer a replica gets one call at a time until it answers", () => {
  const { peers, pass } = arrange();
  peers.began("a");
  pass(4_000);
  peers.ended("a", false);
  expect(peers.isSilent("a")).toBe(false);
  peers.began("a");
  expect(peers.isSilent("a")).toBe(true);
  peers.ended("a", true);
  peers.began("a");
  expect(peers.isSilent("a")).toBe(false);
});

test("a replica that has left is forgotten, and the end of its calls changes nothing", () => {
  const { peers, pass } = arrange();
  peers.began("a");
  pass(500);
  peers.keep(new Set(["b"]));
  peers.ended("a", false);
  expect(peers.isSilent("a")).toBe(false);
  peers.began("a");
  expect(peers.isSilent("a")).toBe(false);
});

test("a replica without calls is never silent", () => {
  const { peers, pass } = arrange();
  pass(60_000);
  expect(peers.isSilent("a")).toBe(false);
  peers.began("a");
  peers.ended("a", true);
  pass(60_000);
  expect(peers.isSilent("a")).toBe(false);
});
