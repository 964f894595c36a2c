import type { Rung, TaskSpecOf } from '#schema/contract/tasks.ts'
import type { TaskRow } from './claim-store.ts'
import { isSoftware, software } from './encoders.ts'
import { laneOf } from './new-task.ts'
import { MAX_REDONE } from './retry.ts'

/** Encoder of each rung that is encoded. */
export type Pins = Readonly<Record<string, string>>
type Change = Pick<TaskRow, 'id' | 'epoch' | 'state' | 'lane'> & { spec: TaskSpecOf<'video'> }

export type Convergence =
	| { state: 'fits' }
	/** Tasks get another specification; those of them that are done are made again. */
	| { state: 'remake'; changes: Change[] }
	| { state: 'hopeless'; message: string }

const MISFITS = 'Parts of the video that were made on different machines do not fit together.'

/**
 * All chunks of a rung must come from one encoder. Where a machine could not use the one that was chosen and took
 * another, the rung is made in software from then on, and what hardware made of it before is made again: software is
 * where this ends, as there is nothing to fall back to from there.
 */
export function converge(pins: Pins, rows: readonly TaskRow[]): Convergence {
	const chunks = rows.filter(({ kind }) => kind === 'video')
	const next = { ...pins }
	for (const { rung, encoder } of chunks.flatMap(madeOf))
		if (encoder !== next[rung.id] && !isSoftware(next[rung.id] ?? '')) next[rung.id] = software[rung.codec]
	const misfits = chunks.filter((row) => madeOf(row).some(({ rung, encoder }) => encoder !== next[rung.id]))
	if (misfits.length === 0 && chunks.every(({ state }) => state === 'done'))
		return remake(next, chunks, minority(chunks))
	return remake(next, chunks, misfits)
}

/** When nobody is there any more who could use the hardware that was chosen. */
export function withoutHardware(pins: Pins, rows: readonly TaskRow[]): Convergence {
	const chunks = rows.filter(({ kind }) => kind === 'video')
	const rungs = chunks.flatMap(({ spec }) => (spec as TaskSpecOf<'video'>).rungs)
	const codecs = new Map(rungs.map(({ id, codec }) => [id, codec]))
	const next = Object.fromEntries(
		Object.entries(pins).map(([id, encoder]) => {
			const codec = codecs.get(id)
			return [id, codec === undefined || isSoftware(encoder) ? encoder : software[codec]]
		}),
	)
	const misfits = chunks.filter((row) => madeOf(row).some(({ rung, encoder }) => encoder !== next[rung.id]))
	return remake(next, chunks, misfits)
}

type Made = { rung: Rung; encoder: string; init: string }

function madeOf({ spec, result, state }: TaskRow): Made[] {
	if (state !== 'done' || result?.kind !== 'video') return []
	const { rungs } = spec as TaskSpecOf<'video'>
	return result.rungs.flatMap((made, i) => {
		const rung = rungs[i]
		return rung ? [{ rung, encoder: made.encoder, init: made.init.sha256 }] : []
	})
}

/** Chunks whose init segment is not the one that most have: a player is told of one only. */
function minority(chunks: readonly TaskRow[]): TaskRow[] {
	const counts = new Map<string, Map<string, number>>()
	for (const { rung, init } of chunks.flatMap(madeOf)) {
		const ofRung = counts.get(rung.id) ?? new Map<string, number>()
		counts.set(rung.id, ofRung.set(init, (ofRung.get(init) ?? 0) + 1))
	}
	const usual = new Map(
		[...counts].map(([id, ofRung]) => [id, [...ofRung].toSorted((a, b) => b[1] - a[1])[0]?.[0]]),
	)
	return chunks.filter((row) => madeOf(row).some(({ rung, init }) => init !== usual.get(rung.id)))
}

function remake(pins: Pins, chunks: readonly TaskRow[], misfits: readonly TaskRow[]): Convergence {
	if (misfits.some(({ redone }) => redone >= MAX_REDONE)) return { state: 'hopeless', message: MISFITS }
	const changes = chunks.flatMap((row) => {
		const spec = row.spec as TaskSpecOf<'video'>
		const isMisfit = misfits.includes(row)
		const isOpen = row.state === 'queued' || row.state === 'running'
		const rungs = spec.rungs.map((rung) => ({ ...rung, encoder: pins[rung.id] ?? rung.encoder }))
		const isSame = rungs.every(({ encoder }, i) => encoder === spec.rungs[i]?.encoder)
		if (!isMisfit && (!isOpen || isSame)) return []
		const wanted = { ...spec, rungs }
		return [{ id: row.id, epoch: row.epoch, state: row.state, lane: laneOf(wanted), spec: wanted }]
	})
	return changes.length === 0 ? { state: 'fits' } : { state: 'remake', changes }
}
