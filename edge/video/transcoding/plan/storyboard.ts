import type { Rational } from '#schema/contract/video/media-info.ts'
import type { Storyboard } from '#schema/contract/video/tasks.ts'
import { formatWebVttTime } from '../../../platform/web-vtt.ts'
import type { Chunk, FrameGrid } from './frame-grid.ts'
import { fitInto, type Size } from './frame-size.ts'

/** The longer side of a tile: 256x144 and 256x192 are whole JPEG blocks, so that neighboring tiles don't bleed. */
const TILE_PIXELS = 256
const COLUMNS = 10
/** Limit for sheets of the stills task; chunks have one sheet each. */
const TILES_PER_SHEET = 100
/** Browsers fail to show higher images, well below the JPEG limit. */
const MAX_SHEET_HEIGHT = 16_000
/** Apple documents 32 megapixels as the limit for a JPEG in Safari on iOS. */
const MAX_SHEET_PIXELS = 32_000_000

/** Target number of tiles, at intervals between one and ten seconds. */
const TARGET_TILES = 120
const MAX_INTERVAL_SEC = 10

/** Returns the storyboard layout. The interval between tiles grows with the duration. */
export function planStoryboard(source: Size, grid: FrameGrid, chunks: readonly Chunk[]): Storyboard {
	const { width: tileWidth, height: tileHeight } = fitInto(source, TILE_PIXELS)
	const fps = grid.fps.num / grid.fps.den
	const seconds = grid.frames / fps
	// Even a one-second clip gets ten tiles.
	const minIntervalSec = Math.min(1, seconds / 10)
	const intervalSec = Math.min(MAX_INTERVAL_SEC, Math.max(minIntervalSec, seconds / TARGET_TILES))
	const longestChunk = Math.max(
		0,
		...chunks.map(({ firstFrame, frames }) => frames ?? grid.frames - firstFrame),
	)
	const maxHeight = Math.min(MAX_SHEET_HEIGHT, MAX_SHEET_PIXELS / (COLUMNS * tileWidth))
	const maxTiles = COLUMNS * Math.floor(maxHeight / tileHeight)
	const everyFrames = Math.max(1, Math.round(intervalSec * fps), Math.ceil(longestChunk / maxTiles))
	return { everyFrames, tileWidth, tileHeight, columns: COLUMNS }
}

/** Returns the layout for a stills task that decodes the whole video. */
export const mergeStoryboard = (storyboard: Storyboard, frames: number) => ({
	...storyboard,
	tilesPerSheet: TILES_PER_SHEET,
	frames,
})

export type PlacedSheet = { uri: string; tiles: number; firstFrame: number; endFrame: number }

/** Returns WebVTT whose cues refer to regions of sheets, the format that web players read. */
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
			const span = `${timeOf(begin, fps)} --> ${timeOf(end, fps)}`
			return `${span}\n${uri}#xywh=${x},${y},${tileWidth},${tileHeight}\n`
		}),
	)
	return `WEBVTT\n\n${cues.join('\n')}`
}

const timeOf = (frame: number, { num, den }: Rational): string =>
	formatWebVttTime(Math.round((frame * den * 1_000) / num))
