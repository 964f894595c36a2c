import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type OrgBatch, OrgOutbox } from '../../../../../edge/watch/analytics/sessions/org-outbox.ts'
import { emptySums } from '../../../../../edge/watch/analytics/sums/sums.ts'
import { propertyRuns } from '../../../../support/shared/property-runs.ts'

const HOUR = 3_600_000
const SENDER = { name: 'film.0.0', playbackId: 'film', isSigned: false }

const partOf = (hour: number, views: number) => ({ hour: hour * HOUR, sums: { ...emptySums(0), views } })

const withStorage = <T>(use: (kv: SyncKvStorage) => Promise<T>): Promise<T> =>
	runInDurableObject(env.ORG_ANALYTICS.getByName(crypto.randomUUID()), (_, { storage }) => use(storage.kv))

/** Adds each batch once, by its number, as the object of the organization does. */
function openReceiver() {
	let last = 0
	let views = 0
	const hours = new Set<number>()
	return {
		views: () => views,
		hours,
		add({ number, parts }: OrgBatch) {
			if (number <= last) return
			last = number
			for (const { hour, sums } of parts) {
				views += sums.views
				hours.add(hour)
			}
		},
	}
}

const step = fc.oneof(
	fc.record({ do: fc.constant('close' as const), hour: fc.nat(40), views: fc.integer({ min: 1, max: 9 }) }),
	fc.record({ do: fc.constantFrom('send' as const, 'lose-request' as const, 'lose-response' as const) }),
	fc.record({ do: fc.constant('crash' as const) }),
)

test('an organization gets each closed session once, whatever is lost and whenever the object crashes', async () => {
	await fc.assert(
		fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
			await withStorage(async (kv) => {
				const receiver = openReceiver()
				let outbox = new OrgOutbox(kv)
				let now = 0
				let closed = 0
				const send = (fault: string) => {
					now += HOUR
					const add = async (_: unknown, batch: OrgBatch) => {
						if (fault !== 'lose-request') receiver.add(structuredClone(batch))
						if (fault !== 'send') throw new Error('lost')
					}
					return outbox.send({ add }, SENDER, now)
				}
				for (const each of steps) {
					if (each.do === 'crash') outbox = new OrgOutbox(kv)
					else if (each.do === 'close') {
						closed += each.views
						outbox.add([partOf(each.hour, each.views)])
					} else await send(each.do)
					expect(receiver.views()).toBeLessThanOrEqual(closed)
				}
				while ((await send('send')) !== null);
				expect(receiver.views()).toBe(closed)
			})
		}),
		{ numRuns: propertyRuns(60) },
	)
})

test('the counts of the oldest hours are merged after a long outage, and nothing is lost', async () => {
	await withStorage(async (kv) => {
		const receiver = openReceiver()
		const outbox = new OrgOutbox(kv)
		const unreachable = { add: () => Promise.reject(new Error('unreachable')) }
		for (let hour = 0; hour < 100; hour++) {
			outbox.add([partOf(hour, 1)])
			expect(await outbox.send(unreachable, SENDER, hour * HOUR)).toBe(
				hour * HOUR + Math.min(60, 10 * 2 ** hour) * 60_000,
			)
		}
		const add = async (_: unknown, batch: OrgBatch) => receiver.add(batch)
		expect(await outbox.send({ add }, SENDER, 100 * HOUR)).toBe(100 * HOUR + 300_000)
		expect(await outbox.send({ add }, SENDER, 101 * HOUR)).toBeNull()
		expect(receiver.views()).toBe(100)
		expect(receiver.hours.size).toBeLessThanOrEqual(27)
	})
})

test('the outbox of a video sends at most one batch of counts in five minutes', async () => {
	await withStorage(async (kv) => {
		const outbox = new OrgOutbox(kv)
		const sent: number[] = []
		const add = async (_: unknown, { number }: OrgBatch) => void sent.push(number)
		outbox.add([partOf(1, 1)])
		expect(await outbox.send({ add }, SENDER, 0)).toBeNull()
		outbox.add([partOf(1, 1)])
		expect(await outbox.send({ add }, SENDER, 60_000)).toBe(300_000)
		expect(sent).toEqual([1])
		expect(await outbox.send({ add }, SENDER, 300_000)).toBeNull()
		expect(sent).toEqual([1, 2])
	})
})

test('the outbox of a video sends all counts at once when it is deleted, and no batch twice', async () => {
	await withStorage(async (kv) => {
		const outbox = new OrgOutbox(kv)
		const sent: number[] = []
		let arrive = () => {}
		const slow = (_: unknown, { number }: OrgBatch) => {
			sent.push(number)
			return new Promise<void>((resolve) => {
				arrive = resolve
			})
		}
		outbox.add([partOf(1, 1)])
		const sending = outbox.send({ add: slow }, SENDER, 0)
		outbox.add([partOf(2, 1)])
		const all = outbox.sendAll({ add: async (_, { number }) => void sent.push(number) }, SENDER)
		arrive()
		await Promise.all([sending, all])
		expect(sent).toEqual([1, 2])
		outbox.add([partOf(3, 1)])
		await expect(
			outbox.sendAll({ add: () => Promise.reject(new Error('unreachable')) }, SENDER),
		).rejects.toThrow('unreachable')
	})
})

test('the outbox of a video writes nothing after its storage was deleted, even for a late batch', async () => {
	await runInDurableObject(env.ORG_ANALYTICS.getByName(crypto.randomUUID()), async (_, { storage }) => {
		const outbox = new OrgOutbox(storage.kv)
		outbox.add([partOf(1, 1)])
		await outbox.sendAll({ add: () => storage.deleteAll() }, SENDER)
		expect([...storage.kv.list()]).toEqual([])
	})
})
