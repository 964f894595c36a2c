import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type ServedCount, ServedCounts } from '../../../../../edge/watch/analytics/delivery/served-counts.ts'

const HOUR = 3_600_000

const MONTH = '2037-11'

function openCounts(maxSources?: number) {
	let ids = 0
	const counts = new ServedCounts(() => `source-${ids++}`, maxSources)
	return {
		add: (ms: number, now: number, orgId = 'org') => counts.add(orgId, MONTH, ofMs(ms), now),
		take: (now: number, orgId = 'org') => counts.take(orgId, now).map(({ count }) => count),
		takeFor: (now: number, orgId = 'org') => counts.take(orgId, now).map((each) => each.orgId),
		arrived: (count: ServedCount | undefined) => count && counts.arrived(count),
	}
}
const ofMs = (ms: number, quality = '720p') => ({ access: 'public' as const, quality, ms })

/** Keeps the newest version of each source, as the object of the organization does. */
function openReceiver() {
	const newest = new Map<string, ServedCount>()
	return {
		receive(count: ServedCount) {
			if ((newest.get(count.source)?.version ?? 0) < count.version) newest.set(count.source, count)
		},
		total: () =>
			[...newest.values()]
				.flatMap(({ qualities }) => Object.values(qualities))
				.reduce((total, ms) => total + ms, 0),
		sources: () => newest.size,
	}
}

const countOf = (source: number, version: number, ms: number): ServedCount => ({
	source: `source-${source}`,
	access: 'public',
	month: MONTH,
	version,
	qualities: { '720p': ms },
})

describe('the counts of an isolate', () => {
	test('the counts of an isolate are sent by one request at a time, and by another one if that vanished', () => {
		const counts = openCounts()
		expect(counts.add(4_000, 0)).toBe(true)
		expect(counts.add(4_000, 5_000)).toBe(false)
		expect(counts.add(4_000, 5_000, 'other')).toBe(true)
		expect(counts.add(4_000, 70_000)).toBe(true)
		expect(counts.take(70_000)[0]).toEqual(countOf(0, 3, 12_000))
		expect(counts.add(4_000, 71_000)).toBe(true)
	})

	test('the counts of an isolate arrive once, whatever is lost, late or doubled', () => {
		const step = fc.record({
			ms: fc.integer({ min: 1, max: 4_000 }),
			afterMs: fc.nat(HOUR),
			/** Whether the request that should send is cancelled, and whether what it sends arrives. */
			isCancelled: fc.boolean(),
			isLost: fc.boolean(),
		})
		fc.assert(
			fc.property(fc.array(step, { maxLength: 20 }), fc.infiniteStream(fc.nat(3)), (served, copies) => {
				const counts = openCounts()
				const receiver = openReceiver()
				const sent: ServedCount[] = []
				let now = 0
				let total = 0
				for (const { ms, afterMs, isCancelled, isLost } of served) {
					now += afterMs
					total += ms
					if (!counts.add(ms, now) || isCancelled) continue
					for (const count of counts.take(now)) {
						sent.push(count)
						if (!isLost) counts.arrived(count)
					}
				}
				sent.push(...counts.take(now))
				for (const count of [...sent.toReversed(), ...sent])
					for (let copy = copies.next().value ?? 0; copy >= 0; copy--) receiver.receive(count)
				expect(receiver.total()).toBe(total)
			}),
		)
	})

	test('the counts of a source do not change after an hour, and are kept until the last one has arrived', () => {
		const counts = openCounts()
		counts.add(1, 0)
		const first = counts.take(HOUR)
		counts.add(2, HOUR)
		counts.add(4, HOUR + 1)
		expect(first).toEqual([countOf(0, 1, 1)])
		counts.arrived(first[0])
		const both = [countOf(0, 2, 3), countOf(1, 1, 4)]
		expect(counts.take(HOUR + 1)).toEqual(both)
		expect(counts.take(5 * HOUR)).toEqual(both)
		counts.arrived(both[0])
		expect(counts.take(5 * HOUR)).toEqual([both[1]])
		counts.arrived(both[1])
		expect(counts.take(5 * HOUR)).toEqual([])
	})

	test('the counts of an isolate are dropped after a day, even if the sending request vanished', () => {
		const counts = openCounts()
		counts.add(1, 0)
		counts.add(2, 50 * HOUR)
		expect(counts.take(50 * HOUR)).toEqual([countOf(1, 1, 2)])
	})

	test('the counts of organizations without a sender are sent with those of others, ten at a time', () => {
		const counts = openCounts()
		for (let k = 10; k < 25; k++) counts.add(1, 0, `org-${k}`)
		counts.add(1, 61_000)
		counts.add(1, 61_000, 'other')
		const orgs = Array.from({ length: 10 }, (_, k) => `org-${k + 10}`)
		expect(counts.takeFor(61_000)).toEqual(['org', ...orgs])
	})

	test('the counts of an isolate are rounded to milliseconds when they are sent', () => {
		const counts = openCounts()
		for (let part = 0; part < 10; part++) counts.add(0.4, 0)
		expect(counts.take(0)).toEqual([countOf(0, 10, 4)])
	})

	test('the counts of an isolate are bounded: arrived ones are dropped first, then the oldest', () => {
		const counts = openCounts(3)
		for (const orgId of ['a', 'b', 'c']) counts.add(1, 0, orgId)
		counts.arrived(countOf(1, 1, 1))
		counts.add(1, 0, 'd')
		expect(counts.takeFor(0, 'b')).toEqual([])
		counts.add(1, 0, 'e')
		expect(counts.takeFor(0, 'a')).toEqual([])
		for (const orgId of ['c', 'd', 'e']) expect(counts.takeFor(0, orgId)).toContain(orgId)
	})
})
