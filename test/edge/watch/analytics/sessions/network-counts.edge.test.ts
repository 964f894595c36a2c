/** @module-tag d1 */
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { NetworkCounts } from '../../../../../edge/watch/analytics/sessions/network-counts.ts'
import type { PlaybackSessions } from '../../../../../edge/watch/analytics/sessions/session-object.ts'
import { ROOT } from '../../../../../edge/watch/analytics/sessions/shards/shards.ts'

const NOON = Date.UTC(2037, 10, 21, 12)
const HOUR = 3_600_000
const within = <T>(name: string, use: (kv: SyncKvStorage) => T) =>
	runInDurableObject(
		(env.PLAYBACK_SESSIONS as DurableObjectNamespace<PlaybackSessions>).getByName(name),
		(_, { storage }) => use(storage.kv),
	)
const admitted = (counts: NetworkCounts, times: number, network = 'school', now = NOON, shard = ROOT) =>
	Array.from({ length: times }, () => counts.add(network, shard, now)).filter(Boolean).length

test('300 viewers of one network count in an hour, and other networks are not affected', () =>
	within('a', (kv) => {
		const counts = new NetworkCounts(kv)
		expect([admitted(counts, 290), admitted(counts, 50), admitted(counts, 5, 'home')]).toEqual([290, 10, 5])
		expect(admitted(counts, 400, 'school', NOON + HOUR)).toBe(300)
	}))

test('an object of a split video counts its part of a network, and at least 30 sessions', () =>
	within('b', (kv) => {
		const counts = new NetworkCounts(kv)
		expect(admitted(counts, 400, 'school', NOON, { level: 1, index: 0 })).toBe(150)
		expect(admitted(counts, 400, 'office', NOON, { level: 8, index: 0 })).toBe(30)
	}))

test('a crash does not reset the sessions of a network, and a few sessions write nothing', () =>
	within('c', (kv) => {
		admitted(new NetworkCounts(kv), 24, 'home')
		expect(kv.get('networks')).toBeUndefined()
		admitted(new NetworkCounts(kv), 320)
		expect(admitted(new NetworkCounts(kv), 320)).toBe(0)
	}))
