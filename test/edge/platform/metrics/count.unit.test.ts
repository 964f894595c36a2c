import { expect, test } from 'vitest'
import { incrementCounter } from '../../../../edge/platform/metrics/count.ts'
import type { Counter } from '../../../../edge/platform/metrics/metric.ts'
import type { CountBatch } from '../../../../edge/platform/metrics/pending-counts.ts'

const things = {
	type: 'counter',
	name: 'playhouse_things_total',
	help: 'Things.',
	labels: {},
} as const satisfies Counter

/** An isolate whose waits end when the test ends them, and whose metrics object calls `onBatch` before it answers. */
function openIsolate(onBatch: (batch: CountBatch) => void) {
	const batches: CountBatch[] = []
	const deferred: Promise<unknown>[] = []
	const waits: (() => void)[] = []
	const add = async (batch: CountBatch) => {
		batches.push(batch)
		onBatch(batch)
	}
	const deps = {
		env: { bindings: { METRICS: { getByName: () => ({ add }) } } },
		clock: () => 0,
		defer: (work: Promise<unknown>) => void deferred.push(work),
		wait: () => new Promise<void>((resolve) => waits.push(resolve)),
		log: { error: () => undefined },
	} as unknown as Parameters<typeof incrementCounter>[0]
	return {
		batches,
		countThing: () => incrementCounter(deps, things, {}),
		waiting: () => waits.length,
		/** Ends the wait of the oldest sender, and returns when it has sent. */
		endWait: async () => {
			waits.shift()?.()
			await deferred.shift()
		},
	}
}

const sentIn = (batches: readonly CountBatch[]) => batches.map(({ counts }) => counts[things.name])

test('counts during the sending of a batch wait for the next turn, and none is lost', async () => {
	let answered = 0
	const isolate = openIsolate(() => {
		if (answered++ < 5) isolate.countThing()
	})
	isolate.countThing()
	isolate.countThing()
	await isolate.endWait()
	expect(sentIn(isolate.batches)).toEqual([2])
	expect(isolate.waiting()).toBe(1)
	await isolate.endWait()
	expect(sentIn(isolate.batches)).toEqual([2, 1])
})

test('a turn repeats a possibly lost batch, and then sends one more', async () => {
	let answered = 0
	const isolate = openIsolate(() => {
		if (answered++ === 0) throw new Error('lost')
		if (answered < 5) isolate.countThing()
	})
	isolate.countThing()
	await isolate.endWait()
	isolate.countThing()
	await isolate.endWait()
	expect(isolate.batches.map(({ number }) => number)).toEqual([1, 1, 2])
	expect(sentIn(isolate.batches)).toEqual([1, 1, 2])
})
