import type { Rung, TaskSpecByKind } from '#schema/contract/video/tasks.ts'
import type { tasks } from '#schema/tables/video/transcoding.ts'
import { isSoftware, software } from './encoders.ts'
import { chooseTaskLane } from './lanes.ts'
import { MAX_REDONE } from './retry.ts'

/** The encoder of each encoded rung. */
export type Pins = Readonly<Record<string, string>>
type Task = Pick<
	typeof tasks.$inferSelect,
	'id' | 'epoch' | 'state' | 'lane' | 'kind' | 'spec' | 'result' | 'redone'
>
type Change = Pick<Task, 'id' | 'epoch' | 'state' | 'lane'> & { spec: TaskSpecByKind<'video'> }

export type Consistency =
	| { state: 'fits' }
	/** Tasks get a new spec; those that are done run again. */
	| { state: 'encode-again'; changes: Change[] }
	| { state: 'impossible'; message: string }

const MISFITS = 'Parts of the video that were encoded on different machines do not match.'

/**
 * Decides which chunks to encode again, so that all chunks of a rung come from one encoder. If a machine fell back to
 * another encoder, the rung switches to software. Software has no further fallback, so this ends.
 */
export function findInconsistentChunks(pins: Pins, rows: readonly Task[]): Consistency {
	const chunks = rows.filter(({ kind }) => kind === 'video')
	const next = { ...pins }
	for (const { rung, encoder } of chunks.flatMap(chunkOutputs))
		if (encoder !== next[rung.id] && !isSoftware(next[rung.id] ?? '')) next[rung.id] = software[rung.codec]
	const misfits = chunks.filter((row) =>
		chunkOutputs(row).some(({ rung, encoder }) => encoder !== next[rung.id]),
	)
	if (misfits.length === 0 && chunks.every(({ state }) => state === 'done'))
		return decideChanges(next, chunks, chunksWithRareInit(chunks))
	return decideChanges(next, chunks, misfits)
}

/** Decides which chunks to encode again in software, when no machine has the chosen hardware any longer. */
export function replaceHardwareEncoders(pins: Pins, rows: readonly Task[]): Consistency {
	const chunks = rows.filter(({ kind }) => kind === 'video')
	const rungs = chunks.flatMap(({ spec }) => (spec.kind === 'video' ? spec.rungs : []))
	const codecs = new Map(rungs.map(({ id, codec }) => [id, codec]))
	const next = Object.fromEntries(
		Object.entries(pins).map(([id, encoder]) => {
			const codec = codecs.get(id)
			return [id, codec === undefined || isSoftware(encoder) ? encoder : software[codec]]
		}),
	)
	const misfits = chunks.filter((row) =>
		chunkOutputs(row).some(({ rung, encoder }) => encoder !== next[rung.id]),
	)
	return decideChanges(next, chunks, misfits)
}

type ChunkOutput = { rung: Rung; encoder: string; init: string }

function chunkOutputs({ spec, result, state }: Task): ChunkOutput[] {
	if (state !== 'done' || result?.kind !== 'video' || spec.kind !== 'video') return []
	const { rungs } = spec
	return result.rungs.flatMap((output, i) => {
		const rung = rungs[i]
		return rung ? [{ rung, encoder: output.encoder, init: output.init.sha256 }] : []
	})
}

/** Returns chunks whose init segment differs from the most common one; a playlist has only one. */
function chunksWithRareInit(chunks: readonly Task[]): Task[] {
	const counts = new Map<string, Map<string, number>>()
	for (const { rung, init } of chunks.flatMap(chunkOutputs)) {
		const ofRung = counts.get(rung.id) ?? new Map<string, number>()
		counts.set(rung.id, ofRung.set(init, (ofRung.get(init) ?? 0) + 1))
	}
	const usual = new Map(
		[...counts].map(([id, ofRung]) => [id, [...ofRung].toSorted((a, b) => b[1] - a[1])[0]?.[0]]),
	)
	return chunks.filter((row) => chunkOutputs(row).some(({ rung, init }) => init !== usual.get(rung.id)))
}

function decideChanges(pins: Pins, chunks: readonly Task[], misfits: readonly Task[]): Consistency {
	if (misfits.some(({ redone }) => redone >= MAX_REDONE)) return { state: 'impossible', message: MISFITS }
	const changes = chunks.flatMap((row) => {
		const { spec } = row
		if (spec.kind !== 'video') return []
		const isMisfit = misfits.includes(row)
		const isOpen = row.state === 'queued' || row.state === 'running'
		const rungs = spec.rungs.map((rung) => ({ ...rung, encoder: pins[rung.id] ?? rung.encoder }))
		const isSame = rungs.every(({ encoder }, i) => encoder === spec.rungs[i]?.encoder)
		if (!isMisfit && (!isOpen || isSame)) return []
		const newSpec = { ...spec, rungs }
		return [{ id: row.id, epoch: row.epoch, state: row.state, lane: chooseTaskLane(newSpec), spec: newSpec }]
	})
	return changes.length === 0 ? { state: 'fits' } : { state: 'encode-again', changes }
}
