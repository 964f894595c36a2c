import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type ServedCount, ServedCounts } from '../../../../edge/analytics/delivery/served-counts.ts'

const HOUR = 3_600_000

function openCounts() {
	let ids = 0
	return new ServedCounts(() => `source-${ids++}`)
}
const ofMs = (ms: number, quality = '720p') => ({ quality, ms })

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

describe('the counts of an isolate', () => {
	test('are sent by one request at a time, and by another one if that vanished', () => {
		const counts = openCounts()
		expect(counts.add('org', '2026-11', ofMs(4_000), 0)).toBe(true)
		expect(counts.add('org', '2026-11', ofMs(4_000), 5_000)).toBe(false)
		expect(counts.add('other', '2026-11', ofMs(4_000), 5_000)).toBe(true)
		expect(counts.add('org', '2026-11', ofMs(4_000), 70_000)).toBe(true)
		expect(counts.take('org', '2026-11')).toMatchObject({ version: 1, qualities: { '720p': 12_000 } })
		expect(counts.add('org', '2026-11', ofMs(4_000), 71_000)).toBe(true)
	})

	test('are counted once, in whatever order and however often they arrive', () => {
		fc.assert(
			fc.property(
				fc.array(fc.record({ ms: fc.integer({ min: 1, max: 4_000 }), afterMs: fc.nat(HOUR) }), {
					maxLength: 40,
				}),
				fc.infiniteStream(fc.nat(3)),
				(served, copies) => {
					const counts = openCounts()
					const receiver = openReceiver()
					const sent: ServedCount[] = []
					let now = 0
					for (const { ms, afterMs } of served) {
						now += afterMs
						if (counts.add('org', '2026-11', ofMs(ms), now) || ms % 3 === 0)
							sent.push(counts.take('org', '2026-11') as ServedCount)
					}
					if (served.length > 0) sent.push(counts.take('org', '2026-11') as ServedCount)
					// The newest of each source arrives at least once.
					for (const count of [...sent.toReversed(), ...sent])
						for (let copy = copies.next().value ?? 0; copy >= 0; copy--) receiver.receive(count)
					expect(receiver.total()).toBe(served.reduce((total, { ms }) => total + ms, 0))
				},
			),
		)
	})

	test('belong to another source after an hour, once they are sent', () => {
		const counts = openCounts()
		counts.add('org', '2026-11', ofMs(1), 0)
		counts.add('org', '2026-11', ofMs(1), 2 * HOUR)
		expect(counts.take('org', '2026-11')).toMatchObject({ source: 'source-0', qualities: { '720p': 2 } })
		counts.add('org', '2026-11', ofMs(1), 2 * HOUR)
		expect(counts.take('org', '2026-11')).toMatchObject({ source: 'source-1', qualities: { '720p': 1 } })
	})

	test('of at most a thousand organizations are remembered after they are sent', () => {
		const counts = openCounts()
		for (let k = 0; k < 1_000; k++) {
			counts.add(`org-${k}`, '2026-11', ofMs(1), 0)
			if (k > 0) counts.take(`org-${k}`, '2026-11')
		}
		counts.add('one-more', '2026-11', ofMs(1), 0)
		expect(counts.take('org-1', '2026-11')).toBeNull()
		expect(counts.take('org-0', '2026-11')).toMatchObject({ qualities: { '720p': 1 } })
	})
})
