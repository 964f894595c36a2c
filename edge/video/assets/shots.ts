import { z } from 'zod'
import type { Deps } from '../../platform/deps.ts'
import type { AssetRow } from './store.ts'

/** The file that lists shot boundaries, in the storyboard's folder. */
export const SHOTS_NAME = 'shots.json'
const Shots = z.object({ shots: z.array(z.number()) })

/** Returns the shot boundaries in ascending seconds; empty if unknown. */
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
