import { isbot } from 'isbot'
import type { PlayerKind } from '#schema/contract/watch/analytics/player-events.ts'
import type { AnalyticsSettings } from '#schema/contract/watch/settings/settings.ts'
import type { KeyHolder, Person } from '../../../http/caller.ts'
import { readCountry } from '../../../platform/network/place.ts'
import { detectBrowser, readUserAgent } from '../../../platform/network/user-agent.ts'
import type { Audience, PlaybackPlace } from '../sessions/session.ts'

const MAX_HOST_LENGTH = 100

/** Chooses how much may be stored about a viewer, from the organization's settings and the viewer's browser. */
export function chooseCollectionLevel(
	{ collect, onDoNotTrack }: AnalyticsSettings,
	headers: Headers,
): AnalyticsSettings['collect'] {
	const isRefused = headers.get('dnt') === '1' || headers.get('sec-gpc') === '1'
	if (!isRefused) return collect
	const order = ['full', 'anonymous', 'nothing'] as const
	return order[Math.max(order.indexOf(collect), order.indexOf(onDoNotTrack))] ?? 'nothing'
}

export type Sender = { caller: Person | KeyHolder | undefined; request: Request; ip: string }

export function classifyAudience({ caller, request: { headers } }: Sender, orgId: string): Audience {
	if (caller?.org?.id === orgId && (caller.kind === 'key' || caller.role !== null)) return 'member'
	const agent = readUserAgent(headers)
	return agent === '' || isbot(agent) ? 'bot' : 'viewer'
}

/** Returns where a video is played. `anonymous` viewers have only their kind of device and player. */
export function describePlace(
	request: Request,
	{ player = 'other', referrer }: { player?: PlayerKind | undefined; referrer?: string | undefined },
	collected: 'full' | 'anonymous',
): PlaybackPlace {
	const agent = readUserAgent(request.headers)
	const device = deviceOf(agent)
	if (collected === 'anonymous') return { device, player, browser: 'unknown', country: null, referrer: null }
	return {
		device,
		player,
		browser: detectBrowser(agent) ?? 'other',
		country: readCountry(request),
		referrer: hostOf(referrer),
	}
}

function deviceOf(agent: string): PlaybackPlace['device'] {
	if (/\b(?:SmartTV|SMART-TV|Tizen|Web0S|WebOS|GoogleTV|BRAVIA|CrKey)\b|\bApple ?TV|\bAFT[A-Z]/.test(agent))
		return 'tv'
	const isMobile = /\bMobile\b/.test(agent)
	if (/\biPad\b|\bTablet\b/.test(agent) || (/\bAndroid\b/.test(agent) && !isMobile)) return 'tablet'
	if (isMobile || /\biPhone\b|\biPod\b/.test(agent)) return 'phone'
	return /\b(?:Windows NT|Macintosh|X11|CrOS)\b/.test(agent) ? 'desktop' : 'other'
}

function hostOf(referrer: string | undefined): string | null {
	const host = referrer === undefined ? '' : (URL.parse(referrer)?.hostname ?? '')
	return host === '' ? null : host.slice(0, MAX_HOST_LENGTH)
}
