import type { Rung, TaskSpecByKind } from '#schema/contract/video/tasks.ts'
import { findEncoderFamily, softwareEncoders } from '../ffmpeg/encoder-args.ts'
import {
	canShareMemory,
	canStayOnHardware,
	type HardwareDecoder,
	hardwareDecoders,
} from '../ffmpeg/video-args.ts'
import type { TaskContext } from './task.ts'

export type Attempt = { decoder: HardwareDecoder | null; rungs: readonly Rung[] }

/**
 * Returns the attempts in order: the requested encoders with proved hardware decoding in the same memory, then
 * without it, then software only.
 */
export function planAttempts(
	spec: TaskSpecByKind<'video'>,
	proved: TaskContext['proved'],
): { attempts: Attempt[]; notes: string[] } {
	const notes: string[] = []
	const rungs = spec.rungs.map((rung) => {
		if (proved.encoders.includes(rung.encoder)) return rung
		const encoder = softwareEncoders[rung.codec]
		if (!proved.encoders.includes(encoder)) throw new Error(`this machine has no encoder for ${rung.codec}`)
		notes.push(`${rung.id}: ${encoder}, because ${rung.encoder} does not work on this machine`)
		return { ...rung, encoder }
	})
	const decoder = canStayOnHardware(spec) ? decoderFor(rungs, proved.decoders) : undefined
	const attempts: Attempt[] = [{ decoder: null, rungs }]
	if (decoder) attempts.unshift({ decoder, rungs })
	const canUseSoftware = rungs.every(({ codec }) => proved.encoders.includes(softwareEncoders[codec]))
	if (usesHardware({ rungs }) && canUseSoftware)
		attempts.push({
			decoder: null,
			rungs: rungs.map((rung) => ({ ...rung, encoder: softwareEncoders[rung.codec] })),
		})
	return { attempts, notes }
}

const decoderFor = (rungs: readonly Rung[], proved: readonly string[]): HardwareDecoder | undefined =>
	hardwareDecoders.find(
		(decoder) => proved.includes(decoder) && rungs.every(({ encoder }) => canShareMemory(decoder, encoder)),
	)

export const usesHardware = ({ rungs }: Pick<Attempt, 'rungs'>): boolean =>
	rungs.some(({ encoder }) => findEncoderFamily(encoder) !== 'software')
