import type { Rational } from '#schema/contract/media-info.ts'
import type { Storyboard } from '#schema/contract/tasks.ts'
import type { Chunk, FrameGrid } from './frame-grid.ts'
import { fitInto, type Size } from './frame-size.ts'

const TILE_PIXELS = 160
const COLUMNS = 10
/** Of a sheet that no chunk's border ends. */
const TILES_PER_SHEET = 100
/** Above, a JPEG could not be that high, and browsers stop showing it much earlier. */
const MAX_SHEET_HEIGHT = 16_000

/** So many a video has, as long as they are neither denser than one a second nor rarer than one in ten. */
const WANTED_TILES = 120
const MOST_SEC = 10

/** Pictures of a video: dense for a short one, rarer the longer it is. */
export function storyboardOf(source: Size, grid: FrameGrid, chunks: readonly Chunk[]): Storyboard {
	const { width: tileWidth, height: tileHeight } = fitInto(source, TILE_PIXELS)
	const fps = grid.fps.num / grid.fps.den
	const seconds = grid.frames / fps
	// Even a clip of a second has some to show.
	const least = Math.min(1, seconds / 10)
	const wanted = Math.min(MOST_SEC, Math.max(least, seconds / WANTED_TILES))
	const longestChunk = Math.max(
		0,
		...chunks.map(({ firstFrame, frames }) => frames ?? grid.frames - firstFrame),
	)
	const tilesPerSheet = COLUMNS * Math.floor(MAX_SHEET_HEIGHT / tileHeight)
	const everyFrames = Math.max(1, Math.round(wanted * fps), Math.ceil(longestChunk / tilesPerSheet))
	return { everyFrames, tileWidth, tileHeight, columns: COLUMNS }
}

/** For the one who decodes nothing but pictures for it. */
export const wholeStoryboard = (storyboard: Storyboard, frames: number) => ({
	...storyboard,
	tilesPerSheet: TILES_PER_SHEET,
	frames,
})

export type PlacedSheet = { uri: string; tiles: number; firstFrame: number; endFrame: number }

/** WebVTT whose cues name a part of a sheet, as players of the web understand it. */
export function writeStoryboard(
	{ everyFrames, tileWidth, tileHeight, columns }: Storyboard,
	fps: Rational,
	sheets: readonly PlacedSheet[],
): string {
	const cues = sheets.flatMap(({ uri, tiles, firstFrame, endFrame }) =>
		Array.from({ length: tiles }, (_, tile) => {
			const begin = firstFrame + tile * everyFrames
			const end = tile + 1 < tiles ? begin + everyFrames : Math.max(endFrame, begin + 1)
			const [x, y] = [(tile % columns) * tileWidth, Math.floor(tile / columns) * tileHeight]
			const span = `${clockOf(begin, fps)} --> ${clockOf(end, fps)}`
			return `${span}\n${uri}#xywh=${x},${y},${tileWidth},${tileHeight}\n`
		}),
	)
	return `WEBVTT\n\n${cues.join('\n')}`
}

function clockOf(frame: number, { num, den }: Rational): string {
	const ms = Math.round((frame * den * 1_000) / num)
	const two = (n: number) => String(Math.floor(n)).padStart(2, '0')
	const rest = String(ms % 1_000).padStart(3, '0')
	return `${two(ms / 3_600_000)}:${two((ms / 60_000) % 60)}:${two((ms / 1_000) % 60)}.${rest}`
}
