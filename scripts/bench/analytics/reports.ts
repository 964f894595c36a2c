/** The interval of the first minute, then of five, then of the rest (edge/watch/analytics/sessions/presence.ts). */
export function listReportTimesMs(viewMs: number): number[] {
	const times: number[] = []
	for (let at = 0; at < viewMs; at += at < 60_000 ? 10_000 : at < 300_000 ? 30_000 : 60_000) times.push(at)
	return [...times, viewMs]
}

export const VIEWER_HEADERS = {
	'content-type': 'text/plain',
	'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36',
}

export type Report = {
	playbackId: string
	sessionId: string
	/** How long the session has played. */
	playedMs: number
	seq: number
	token?: string | undefined
	isEnd?: boolean
}

/** Returns an event as our player sends it: a session with one seek back, in two qualities. */
export function createPlayerEvent({
	playbackId,
	sessionId,
	playedMs,
	seq,
	token,
	isEnd = false,
}: Report): object {
	const ticks = Math.floor(playedMs / 100)
	const first = Math.min(ticks, 300)
	const played = [...(first > 0 ? [0, first] : []), ...(ticks > first ? [250, 250 + ticks - first] : [])]
	return {
		kind: isEnd ? 'view_end' : seq === 1 ? 'view_start' : 'heartbeat',
		playbackId,
		sessionId,
		player: 'watch',
		referrer: 'https://example.org',
		...(token !== undefined && { token }),
		state: {
			seq,
			activity: isEnd ? 'ended' : 'playing',
			positionMs: (played.at(-1) ?? 0) * 100,
			watchedMs: playedMs,
			played,
			startupMs: ticks > 0 ? 412 : null,
			waitedMs: 412,
			seeks: Number(ticks > first),
			seekMs: ticks > first ? 180 : 0,
			renditionMs: ticks > 0 ? { 360: first * 100, 720: playedMs - first * 100 } : {},
			deliveredMs: ticks > 0 ? { 360: first * 100, 720: playedMs - first * 100 } : {},
			bitrateMs: playedMs * 2_100,
		},
	}
}

export const createReportBody = (...reports: Report[]): string =>
	JSON.stringify({ events: reports.map(createPlayerEvent) })

type Accepted = { sessionId: string; token: string; nextBeatMs: number; live: number | null }

/** Sends reports, and returns their sessions from the response. */
export async function sendReports(
	url: string,
	reports: Report[],
	headers: Record<string, string> = {},
): Promise<Accepted[]> {
	const body = createReportBody(...reports)
	const response = await fetch(`${url}/v1/analytics/events`, {
		method: 'POST',
		body,
		headers: { ...VIEWER_HEADERS, ...headers },
	})
	if (response.status !== 202) throw new Error(`a report got ${response.status}: ${await response.text()}`)
	const { data } = (await response.json()) as { data: { rejected: number; sessions: Accepted[] } }
	if (data.rejected > 0) throw new Error(`${data.rejected} reports were rejected`)
	return data.sessions
}
