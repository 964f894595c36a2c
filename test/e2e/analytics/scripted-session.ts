import type { PlaybackState } from '#schema/contract/watch/analytics/playback-state.ts'
import type { Chooser } from '../../support/shared/random.ts'

export type ScriptedVideo = { assetId: string; playbackId: string; durationMs: number }

/** What a player says one after the other; the number of a report is that of its state. */
export type ScriptedReport = { state: PlaybackState; isEnd: boolean }

/** One playback, as it would be reported over a perfect network. */
export type ScriptedSession = {
	id: string
	video: ScriptedVideo
	device: keyof typeof agents
	address: string
	reports: ScriptedReport[]
}

export const agents = {
	desktop: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36',
	phone: 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1 Version/18.0 Safari/604.1',
	tablet: 'Mozilla/5.0 (Linux; Android 15; Tablet) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36',
} as const

const HEIGHTS = [240, 480, 720, 1_080]
/** The server grants every session two minutes at once (GRACE_MS in limit-state.ts), so nobody has to wait here. */
const MAX_WATCHED_MS = 29_000
const MAX_PLAYED_TICKS = 300
const MAX_REPORTS = 9

/** Draws a session with seeks, stalls, pauses, changes of the quality and errors. Half of those that play have an end. */
export function drawSession(
	id: string,
	video: ScriptedVideo,
	addresses: number,
	choose: Chooser,
): ScriptedSession {
	const player = new ScriptedPlayer(video, choose)
	const reports: ScriptedReport[] = [player.report(false)]
	if (choose.chance(0.1)) {
		player.fail(choose.chance(0.5))
		reports.push(player.report(true))
	} else {
		player.start()
		const count = 1 + choose.below(MAX_REPORTS)
		for (let n = 0; n < count && player.canGoOn; n++) {
			player.goOn()
			reports.push(player.report(false))
		}
		if (choose.chance(0.1)) player.fail(true)
		if (choose.chance(0.5)) reports.push(player.report(true))
	}
	const device = choose.pick('desktop', 'desktop', 'phone', 'tablet')
	const address = `10.0.0.${choose.below(addresses)}`
	return { id, video, device, address, reports }
}

/** Draws a session of a viewer who vanishes, so that no report says its end. */
export function drawEndlessSession(...args: Parameters<typeof drawSession>): ScriptedSession {
	for (;;) {
		const drawn = drawSession(...args)
		if (!drawn.reports.at(-1)?.isEnd) return drawn
	}
}

class ScriptedPlayer {
	readonly #choose: Chooser
	readonly #ticks: number
	#state: PlaybackState
	#height = 480

	constructor({ durationMs }: ScriptedVideo, choose: Chooser) {
		this.#choose = choose
		this.#ticks = Math.floor(durationMs / 100)
		this.#state = {
			seq: 0,
			activity: 'starting',
			positionMs: 0,
			watchedMs: 0,
			played: [],
			startupMs: null,
			waitedMs: 0,
			stalls: 0,
			stalledMs: 0,
			seeks: 0,
			seekMs: 0,
			renditionMs: {},
			deliveredMs: {},
			bitrateMs: 0,
			upscaleMs: 0,
			upscaleMax: 0,
			renditionsUp: 0,
			renditionsDown: 0,
			droppedFrames: 0,
			error: null,
		}
	}

	get #playedTicks(): number {
		const { played } = this.#state
		return played.reduce((sum, tick, at) => sum + (at % 2 === 0 ? -tick : tick), 0)
	}

	get canGoOn(): boolean {
		return this.#state.watchedMs < MAX_WATCHED_MS && this.#playedTicks < MAX_PLAYED_TICKS
	}

	report(isEnd: boolean): ScriptedReport {
		this.#state = { ...this.#state, seq: this.#state.seq + 1 }
		if (isEnd && this.#state.activity !== 'failed') this.#state.activity = 'ended'
		return { state: structuredClone(this.#state), isEnd }
	}

	start(): void {
		const startupMs = 50 + this.#choose.below(9_000)
		Object.assign(this.#state, { activity: 'playing', startupMs, waitedMs: startupMs })
	}

	/** The viewer waits, and then leaves or sees an error. */
	fail(withError: boolean): void {
		if (this.#state.startupMs === null) this.#state.waitedMs = this.#choose.below(6_000)
		if (!withError) return
		Object.assign(this.#state, { activity: 'failed', error: this.#choose.pick('media', 'network', 'decode') })
	}

	/** Plays on for up to six seconds, after a seek, a stall or another quality. */
	goOn(): void {
		const { below, chance } = this.#choose
		if (chance(0.3)) this.#seek(below(this.#ticks))
		if (chance(0.2)) this.#stall(100 + below(1_500))
		if (chance(0.2)) this.#changeQuality(HEIGHTS[below(HEIGHTS.length)] as number)
		this.#play(1 + below(60), chance(0.2) ? 2 : 1)
		this.#state.activity = chance(0.15) ? 'paused' : 'playing'
		this.#state.droppedFrames += below(3)
	}

	#seek(tick: number): void {
		this.#state.seeks++
		this.#state.seekMs += this.#choose.below(400)
		this.#state.positionMs = tick * 100
	}

	#stall(ms: number): void {
		const stalledMs = Math.min(ms, MAX_WATCHED_MS - this.#state.watchedMs)
		this.#state.stalls++
		this.#state.stalledMs += stalledMs
		this.#state.watchedMs += stalledMs
	}

	#changeQuality(height: number): void {
		if (height > this.#height) this.#state.renditionsUp++
		if (height < this.#height) this.#state.renditionsDown++
		this.#height = height
	}

	#play(ticks: number, speed: number): void {
		const state = this.#state
		// A video that is over starts again.
		const from = state.positionMs / 100 >= this.#ticks ? 0 : state.positionMs / 100
		const affordable = Math.floor((MAX_WATCHED_MS - state.watchedMs) / 100) * speed
		const played = Math.min(ticks, affordable, MAX_PLAYED_TICKS - this.#playedTicks, this.#ticks - from)
		if (played <= 0) return
		if (state.played.at(-1) === from) state.played[state.played.length - 1] = from + played
		else state.played.push(from, from + played)
		const ms = played * 100
		state.positionMs = (from + played) * 100
		state.watchedMs += Math.ceil(ms / speed)
		state.renditionMs[this.#height] = (state.renditionMs[this.#height] ?? 0) + Math.ceil(ms / speed)
		state.deliveredMs[this.#height] = (state.deliveredMs[this.#height] ?? 0) + ms
		state.bitrateMs += this.#height * 3 * Math.ceil(ms / speed)
	}
}
