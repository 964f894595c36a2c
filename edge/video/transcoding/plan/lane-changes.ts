import { MINUTE } from '../../../platform/clock.ts'
import { isSoftware, software } from './encoders.ts'
import type { Lane } from './lanes.ts'

/** How long a job waits for the hardware it was planned for. */
const HARDWARE_WAIT_MS = 2 * MINUTE
const CODEC_WAIT_MS = 10 * MINUTE

type SeenMachine = { lastSeenAt: number; encoders: readonly string[] }

/** A change to the jobs of a lane that were created before `before`. */
export type LaneChange = Lane & { what: 'use-software' | 'leave-codecs-out'; before: number }

/** Every machine has the default encoder, so only other lanes may be unserved. */
export const mayLackMachine = ({ encoders }: Lane): boolean =>
	!encoders.every((name) => name === software.h264)

/** Returns the changes to lanes that no machine can serve. `machines` are those seen in the last day. */
export function listLanesToChange(
	lanes: readonly Lane[],
	machines: readonly SeenMachine[],
	now: number,
): LaneChange[] {
	const isServed = ({ encoders }: Lane, since: number) =>
		machines.some(
			(machine) => machine.lastSeenAt >= since && encoders.every((name) => machine.encoders.includes(name)),
		)
	return lanes.filter(mayLackMachine).flatMap((lane): LaneChange[] => {
		if (!lane.encoders.every(isSoftware))
			return isServed(lane, now - HARDWARE_WAIT_MS) ? [] : [{ ...lane, what: 'use-software', before: now }]
		// Without any machine, the fleet may not have started yet.
		if (machines.length === 0 || isServed(lane, 0)) return []
		return [{ ...lane, what: 'leave-codecs-out', before: now - CODEC_WAIT_MS }]
	})
}
