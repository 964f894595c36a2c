/** @module-tag d1 */
import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { deleteAsset } from '#schema/contract/video/assets.ts'
import type { LeasedTask } from '#schema/contract/video/leases.ts'
import { DAY, HOUR, MINUTE, SECOND } from '../../../../edge/platform/clock.ts'
import { openWorld, type World } from '../../../support/edge/world.ts'
import { propertyRuns } from '../../../support/shared/property-runs.ts'
import { randomFrom } from '../../../support/shared/random.ts'
import { type FakeMachine, openMachine } from './fake-machine.ts'
import { aFilm } from './sources.ts'
import { openStudio } from './transcoding-fixture.ts'

const SEEDS = Array.from({ length: propertyRuns(3) }, (_, at) => at + 1)
const STEPS = 70

type Held = { machine: FakeMachine; task: LeasedTask }

/** Records the responses to machines and checks invariants. */
class History {
	readonly epochs = new Map<string, number>()
	readonly accepted = new Map<string, Set<number>>()

	recordClaim({ id, epoch }: LeasedTask): void {
		expect(epoch, `epochs of ${id} rise`).toBeGreaterThan(this.epochs.get(id) ?? 0)
		this.epochs.set(id, epoch)
	}

	recordCompletion({ id, epoch }: LeasedTask, status: number): void {
		if (status !== 200) return
		expect(epoch, `${id} is completed by its last holder`).toBe(this.epochs.get(id))
		this.accepted.set(id, (this.accepted.get(id) ?? new Set()).add(epoch))
	}
}

const jobsOf = (world: World) =>
	world.deps((d) =>
		d.db.all<{ id: string; asset_id: string; status: string }>('select id, asset_id, status from jobs'),
	)

async function keysOf(bucket: R2Bucket): Promise<string[]> {
	const keys: string[] = []
	let cursor: string | undefined
	do {
		const page = await bucket.list(cursor ? { cursor } : {})
		keys.push(...page.objects.map(({ key }) => key))
		cursor = page.truncated ? page.cursor : undefined
	} while (cursor)
	return keys
}

test.each(SEEDS)(
	'random actions end every job and leave every published asset whole (seed %i)',
	async (seed) => {
		const random = randomFrom(seed)
		const pick = <T>(items: readonly T[]): T | undefined => items[Math.floor(random() * items.length)]
		const world = await openWorld()
		const ada = await world.person()
		const studio = openStudio(world, ada)
		const machines: FakeMachine[] = []
		for (let i = 0; i < 3; i++) machines.push(await openMachine(world, { info: aFilm(30) }, `m${i}`))
		const history = new History()
		let held: Held[] = []
		/** Tasks of machines that vanished or missed a response. They send late requests. */
		const abandoned: Held[] = []
		const assets: string[] = []

		const claim = async () => {
			const machine = pick(machines)
			const task = await machine?.claim()
			if (!machine || !task) return
			history.recordClaim(task)
			held.push({ machine, task })
		}
		const finish = async ({ machine, task }: Held, extent: 'whole' | 'half') => {
			const { result, objects } = await machine.work(task).catch(() => ({ result: null, objects: [] }))
			const some = extent === 'half' ? objects.slice(0, objects.length / 2) : objects
			const stored = await machine.put(task, some).then(
				() => true,
				() => false,
			)
			if (!stored || result === null || extent === 'half') return
			for (const _ of random() < 0.3 ? [1, 2] : [1])
				history.recordCompletion(task, (await machine.complete(task, result)).status)
		}
		const takeHeld = (): Held | undefined => {
			const one = pick(held)
			held = held.filter((each) => each !== one)
			return one
		}
		const actions: [weight: number, act: () => Promise<unknown>][] = [
			[2, async () => assets.push(await upload())],
			[8, claim],
			[8, async () => maybe(takeHeld(), (one) => finish(one, 'whole'))],
			[2, async () => maybe(takeHeld(), async (one) => abandoned.push(one))],
			[
				1,
				async () =>
					maybe(takeHeld(), async (one) => {
						await finish(one, 'half')
						abandoned.push(one)
					}),
			],
			[1, async () => maybe(takeHeld(), ({ machine, task }) => machine.fail(task, 'transient'))],
			[0.3, async () => maybe(takeHeld(), ({ machine, task }) => machine.fail(task, 'permanent'))],
			[1, async () => maybe(takeHeld(), ({ machine, task }) => machine.release(task))],
			[3, async () => maybe(pick(held), ({ machine, task }) => machine.heartbeat(task, random()))],
			[2, async () => maybe(pick(abandoned), (one) => finish(one, 'whole'))],
			[1, async () => maybe(pick(abandoned), ({ machine, task }) => machine.fail(task, 'permanent'))],
			[3, async () => world.pass(Math.round(random() * 90 * SECOND))],
			[2, () => world.cron('* * * * *')],
			[2, () => world.deliver(lossy())],
			[
				0.4,
				async () => maybe(pick(assets), (assetId) => world.ask(deleteAsset, { params: { assetId } }, ada)),
			],
			[0.4, async () => maybe(pick(assets), (assetId) => studio.start(assetId))],
		]
		async function upload() {
			const { assetId } = await studio.upload()
			await studio.start(assetId, random() < 0.5 ? { playback: 'early' } : undefined)
			return assetId
		}
		const maybe = async <T>(one: T | undefined, act: (one: T) => Promise<unknown>) => one && act(one)
		/** Duplicates some messages and loses others; the reaper compensates for the loss. */
		const lossy = () =>
			world.messages.splice(0).flatMap((message) => {
				if (message.type !== 'job.advance' && message.type !== 'event.happened') return []
				return random() < 0.3 ? [message, message] : random() < 0.2 ? [] : [message]
			})

		const total = actions.reduce((sum, [weight]) => sum + weight, 0)
		assets.push(await upload())
		for (let step = 0; step < STEPS; step++) {
			let rest = random() * total
			const chosen = actions.find(([weight]) => {
				rest -= weight
				return rest < 0
			})
			await chosen?.[1]()
		}

		// One machine performs tasks until all jobs end.
		for (let round = 0; round < 60; round++) {
			world.pass(MINUTE)
			await world.cron('* * * * *')
			await world.deliver()
			for (let task = await machines[0]?.claim(); task; task = await machines[0]?.claim()) {
				history.recordClaim(task)
				await finish({ machine: machines[0] as FakeMachine, task }, 'whole')
			}
			const left = (await jobsOf(world)).filter(
				({ status }) => status === 'queued' || status === 'processing',
			)
			if (left.length === 0 && round > 12) break
		}

		const jobs = await jobsOf(world)
		expect(jobs.filter(({ status }) => !['completed', 'failed', 'cancelled'].includes(status))).toEqual([])
		for (const [id, epochs] of history.accepted) expect([...epochs], `completions of ${id}`).toHaveLength(1)

		const rows = await world.deps((d) =>
			d.db.all<{ id: string; status: string; manifest_key: string | null; error_message: string | null }>(
				'select id, status, manifest_key, error_message from assets',
			),
		)
		const media = new Set(await keysOf(env.MEDIA))
		expect(rows).not.toEqual([])
		for (const { status, manifest_key, error_message } of rows) {
			expect(['ready', 'error']).toContain(status)
			if (status === 'error') expect(error_message).toBeTruthy()
			else await requireWhole(manifest_key ?? '', media)
		}

		// After every upload URL has expired, the sweep must have deleted all objects without an owner.
		world.pass(DAY + HOUR)
		for (let i = 0; i < 3; i++) {
			await world.cron('* * * * *')
			await world.deliver()
		}
		const folders = await world.deps((d) =>
			d.db.all<{ folder: string }>(
				"select job_id || '/' || id || '-' || epoch as folder from tasks where state = 'done'",
			),
		)
		const owned = new Set(folders.map(({ folder }) => folder))
		const orphans = [...(await keysOf(env.MEDIA)), ...(await keysOf(env.VAULT))].filter((key) => {
			const folder = /(job_\w+\/tsk_\w+-\d+)\//.exec(key)?.[1]
			return folder !== undefined && !owned.has(folder)
		})
		expect(orphans).toEqual([])
	},
)

/** Requires every playlist of a presentation, and every object that the playlists name. */
async function requireWhole(manifestKey: string, media: ReadonlySet<string>): Promise<void> {
	const read = async (key: string) => (await env.MEDIA.get(key))?.text()
	const folder = manifestKey.slice(0, manifestKey.lastIndexOf('/') + 1)
	const master = await read(manifestKey)
	expect(master, manifestKey).toContain('#EXTM3U')
	const names = [...(master ?? '').matchAll(/^[^#\n].*$|URI="([^"]+)"/gm)].map(([line, uri]) => uri ?? line)
	expect(names.length).toBeGreaterThan(1)
	for (const name of names) {
		const playlist = await read(folder + name)
		expect(playlist, name).toContain('#EXT-X-ENDLIST')
		for (const [line, uri] of (playlist ?? '').matchAll(/^[^#\n].*$|URI="([^"]+)"/gm))
			expect(media.has(folder + (uri ?? line)), folder + (uri ?? line)).toBe(true)
	}
}
