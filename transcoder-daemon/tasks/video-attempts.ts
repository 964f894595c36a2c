import type { Rung, TaskSpecOf } from '#schema/contract/tasks.ts'
import { familyOf, softwareEncoders } from '../ffmpeg/encoder-args.ts'
import { canStayOnHardware, type HardwareDecoder, hardwareScalers } from '../ffmpeg/video-args.ts'
import type { TaskContext } from './task.ts'

export type Attempt = { decoder: HardwareDecoder | null; rungs: readonly Rung[] }

/** From what was asked for, on hardware as far as that is proved, to what works everywhere. */
export function attemptsOf(
	spec: TaskSpecOf<'video'>,
	proved: TaskContext['proved'],
): { attempts: Attempt[]; notes: string[] } {
	const notes: string[] = []
	const rungs = spec.rungs.map((rung) => {
		if (proved.encoders.includes(rung.encoder)) return rung
		const encoder = softwareEncoders[rung.codec]
		if (!proved.encoders.includes(encoder)) throw new Error(`this machine has no encoder for ${rung.codec}`)
		notes.push(`${rung.id}: ${encoder}, as ${rung.encoder} does not work on this machine`)
		return { ...rung, encoder }
	})
	const decoder = canStayOnHardware(spec) ? decoderIn(proved.decoders) : null
	const attempts: Attempt[] = [{ decoder: null, rungs }]
	if (decoder) attempts.unshift({ decoder, rungs })
	const canDoWithout = rungs.every(({ codec }) => proved.encoders.includes(softwareEncoders[codec]))
	if (usesHardware({ decoder: null, rungs }) && canDoWithout)
		attempts.push({
			decoder: null,
			rungs: rungs.map((rung) => ({ ...rung, encoder: softwareEncoders[rung.codec] })),
		})
	return { attempts, notes }
}

export const usesHardware = ({ decoder, rungs }: Attempt): boolean =>
	decoder !== null || rungs.some(({ encoder }) => familyOf(encoder) !== 'software')

function decoderIn(proved: readonly string[]): HardwareDecoder | null {
	const known = Object.keys(hardwareScalers) as HardwareDecoder[]
	return known.find((name) => proved.includes(name)) ?? null
}
