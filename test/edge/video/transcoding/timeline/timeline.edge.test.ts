/** @module-tag d1 */
import { beforeEach, describe, expect, test } from 'vitest'
import { createApiKey } from '#schema/contract/accounts/api-keys.ts'
import { createAsset, deleteAsset } from '#schema/contract/video/assets.ts'
import { getAssetTimeline } from '#schema/contract/video/processing/timeline.ts'
import { processAsset } from '#schema/contract/video/transcoding.ts'
import { MINUTE, SECOND } from '../../../../../edge/platform/clock.ts'
import { openWorld, type Person, type World } from '../../../../support/edge/world.ts'
import { openMachine } from '../fake-machine.ts'
import { aFilm } from '../sources.ts'
import { openStudio } from '../transcoding-fixture.ts'
import { expectWithinParents } from './within-parents.ts'

let world: World
let ada: Person
let studio: ReturnType<typeof openStudio>
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
	studio = openStudio(world, ada)
})

const timeline = async (assetId: string) =>
	(await world.ask(getAssetTimeline, { params: { assetId } }, ada)).ok.data
const inMs = (spans: Awaited<ReturnType<typeof timeline>>['spans']) =>
	spans.map((span) => ({ ...span, startedAt: msOf(span.startedAt), endedAt: msOf(span.endedAt) }))
const msOf = (instant: string | null) => (instant === null ? null : Date.parse(instant))
const aMachine = (name = 'machine') => openMachine(world, { info: aFilm(10) }, name)

describe('the timeline', () => {
	test('the timeline follows a video from start to end, through a lost lease and a failed attempt', async () => {
		const created = await world.ask(createAsset, { body: { title: 'Film' } }, ada)
		expect((await timeline(created.ok.data.id)).summary).toBe('No source has arrived yet.')

		const { assetId } = await studio.upload()
		expect(await timeline(assetId)).toMatchObject({
			status: 'uploaded',
			spans: [{ kind: 'upload', outcome: 'done' }],
		})
		await studio.start(assetId)
		world.pass(41 * SECOND)
		expect((await timeline(assetId)).spans.map(({ kind }) => kind)).toEqual([
			...['upload', 'processing', 'wait', 'tasks', 'task'],
		])

		const first = await aMachine('first')
		await first.claim()
		world.pass(2 * MINUTE)
		const second = await aMachine('second')
		const again = await second.claim()
		if (!again) throw new Error('nothing to do')
		world.pass(3 * SECOND)
		await second.fail(again, 'transient', 'The disk of machine seven is full.')
		world.pass(10 * MINUTE)
		while ((await second.drain(1)).length > 0) {
			world.pass(5 * SECOND)
			expectWithinParents(inMs((await timeline(assetId)).spans))
		}

		const { status, summary, spans, isComplete } = await timeline(assetId)
		expect([status, isComplete]).toEqual(['ready', true])
		expect(summary).toMatch(
			/^Published completely 1\d min .* after processing was requested: 41 s waiting for a machine, /,
		)
		const attempts = spans.filter(({ kind }) => kind === 'attempt')
		expect(attempts.map(({ outcome, text }) => [outcome, text])).toEqual([
			['lost', 'Inspection of the source: A machine stopped responding, so the task went back to the queue.'],
			['failed', 'Inspection of the source: An attempt failed after 3 s.'],
		])
		expect(spans.filter(({ endedAt }) => endedAt === null)).toEqual([])
		expect(spans.map(({ kind }) => kind)).toContain('extras')
		expect(spans.map(({ text }) => text)).toContain(
			'Inspection of the source: done after 10 min 3 s, after 2 attempts that failed.',
		)
		expect(JSON.stringify(spans)).not.toMatch(/machine seven|mch_/)
	})

	test('the timeline shows why processing failed', async () => {
		const { assetId } = await studio.upload()
		await studio.start(assetId)
		const machine = await aMachine()
		const task = await machine.claim()
		if (!task) throw new Error('nothing to do')
		await machine.fail(task, 'permanent', 'This file has no picture.')
		expect((await timeline(assetId)).summary).toMatch(
			/^Processing failed after .*: This file has no picture\. /,
		)
	})

	test('the timeline is readable with a key of the organization, and for no other organization', async () => {
		const { assetId } = await studio.upload()
		const params = { assetId }
		const { ok } = await world.ask(
			createApiKey,
			{ params: { orgId: ada.orgId }, body: { name: 'k', scopes: ['read'] } },
			ada,
		)
		expect((await world.ask(getAssetTimeline, { params }, { key: ok.data.key })).status).toBe(200)
		const { token } = await world.person()
		expect((await world.ask(getAssetTimeline, { params }, { token })).status).toBe(404)
		await world.ask(deleteAsset, { params }, ada)
		expect((await world.ask(getAssetTimeline, { params }, ada)).status).toBe(404)
	})
})

describe('a trace', () => {
	const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
	const process = async (traceparent?: string) => {
		const { assetId } = await studio.upload()
		await world.ask(
			processAsset,
			{ params: { assetId } },
			{ ...ada, headers: traceparent ? { traceparent } : {} },
		)
		return { assetId, line: world.logs.findLast(({ operation }) => operation === 'processAsset') }
	}

	test('a trace id goes from the request to the log, the timeline and the machine', async () => {
		const { assetId, line } = await process(`00-${traceId}-00f067aa0ba902b7-01`)
		expect(line?.traceId).toBe(traceId)
		expect((await timeline(assetId)).traces).toEqual([{ jobId: expect.any(String), traceId }])
		const task = await (await aMachine()).claim()
		expect(task?.traceparent).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`))
	})

	test.each([
		['none', undefined],
		['upper case', `00-${traceId.toUpperCase()}-00f067aa0ba902b7-01`],
		['zeros', `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`],
		['a parent of zeros', `00-${traceId}-${'0'.repeat(16)}-01`],
		['version ff', `ff-${traceId}-00f067aa0ba902b7-01`],
		['more fields in version 00', `00-${traceId}-00f067aa0ba902b7-01-more`],
		['another text', `x"}\t${traceId}`],
		['a long text', `01-${traceId}-00f067aa0ba902b7-01-${'a'.repeat(5_000)}`],
	])('a traceparent with %s starts a new trace', async (_, traceparent) => {
		const { line } = await process(traceparent)
		expect(line?.traceId).toMatch(/^[0-9a-f]{32}$/)
		expect(line?.traceId).not.toBe(traceId)
	})

	test('a traceparent of a later version is accepted', async () => {
		expect((await process(`01-${traceId}-00f067aa0ba902b7-01-more`)).line?.traceId).toBe(traceId)
	})
})
