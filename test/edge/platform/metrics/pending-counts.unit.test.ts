import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type CountBatch, PendingCounts } from '../../../../edge/platform/metrics/pending-counts.ts'

const steps = fc.array(fc.constantFrom('count', 'send', 'lose-request', 'lose-response', 'repeat' as const), {
	maxLength: 60,
})

test('every count arrives once, whatever is lost or repeated', () => {
	fc.assert(
		fc.property(steps, (todo) => {
			const pending = new PendingCounts('isolate')
			let last = 0
			let received = 0
			let counted = 0
			let repeated: CountBatch | null = null
			const receive = (batch: CountBatch) => {
				if (batch.number <= last) return
				last = batch.number
				received += batch.counts.requests ?? 0
			}
			const send = (fault: string) => {
				const batch = pending.next()
				if (!batch) return
				if (fault !== 'lose-request') receive(batch)
				if (fault === 'send') pending.arrived(batch)
				repeated = batch
			}
			for (const step of todo)
				if (step === 'count') {
					counted++
					pending.add('requests', 1)
				} else if (step === 'repeat') {
					if (repeated && (repeated as CountBatch).number <= last) receive(repeated)
				} else send(step)
			for (let batch = pending.next(); batch; batch = pending.next()) {
				receive(batch)
				pending.arrived(batch)
			}
			expect(received).toBe(counted)
		}),
	)
})

test('one request sends counts at a time, until its turn ends or times out', () => {
	const pending = new PendingCounts('isolate')
	expect(pending.becomeSender(0)).toBe(true)
	expect(pending.becomeSender(59_000)).toBe(false)
	expect(pending.becomeSender(61_000)).toBe(true)
	pending.endTurn()
	expect(pending.becomeSender(61_001)).toBe(true)
})

test('an isolate that cannot send keeps a limited number of series', () => {
	const pending = new PendingCounts('isolate')
	for (let i = 0; i < 6_000; i++) pending.add(`series${i}`, 1)
	expect(Object.keys(pending.next()?.counts ?? {})).toHaveLength(5_000)
})
