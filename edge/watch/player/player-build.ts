import { AppError } from '../../http/errors.ts'
import type { Env } from '../../platform/env.ts'

/** The output of the page build (scripts/lib/player-build.ts): file names with hashes, and the styles. */
export type PlayerBuild = {
	scripts: Record<'embed' | 'watch', string>
	/** Those of `audio` follow those of a page that shows audio without video. */
	styles: Record<'embed' | 'watch' | 'audio', string>
}

const BUILD_PATH = '/player/build.json'

let known: PlayerBuild | undefined

/** Returns the current build. A deployed Worker never outlives its files, so it reads them once. */
export async function readPlayerBuild({ bindings, isProduction }: Env): Promise<PlayerBuild> {
	if (known && isProduction) return known
	const response = await bindings.ASSETS?.fetch(`https://assets.invalid${BUILD_PATH}`)
	if (response?.status !== 200) throw new AppError('unavailable', 'the player is being updated; try again')
	known = (await response.json()) as PlayerBuild
	return known
}
