import { z } from 'zod'
import type { Deps } from '../../platform/deps.ts'
import type { AssetRow } from './store.ts'

/** The name of the file that lists the cuts of the picture. It is in the folder of the storyboard. */
export const SHOTS_NAME = 'shots.json'
const Shots = z.object({ shots: z.array(z.number()) })

/** Returns when the picture changes, in seconds in ascending order; empty where that is unknown. */
export async function readShots(
	{ objects }: Pick<Deps, 'objects'>,
	{ storyboardKey }: Pick<AssetRow, 'storyboardKey'>,
): Promise<number[]> {
	if (storyboardKey === null) return []
	const answer = await objects.media.get(
		storyboardKey.slice(0, storyboardKey.lastIndexOf('/') + 1) + SHOTS_NAME,
	)
	if (answer.state !== 'found') return []
	return Shots.safeParse(await new Response(answer.body).json().catch(() => null)).data?.shots ?? []
}
