import { SPEED_LIMITS } from '#schema/contract/watch/player-page.ts'

const KEY = 'playhouse-player'
const ESTIMATE_LIFE_MS = 7 * 86_400_000
const MAX_POSITIONS = 50

/** The player's memory: for the page, and on this device if the browser allows it. */
export type Preferences = {
	volume?: number
	muted?: boolean
	speed?: number
	/** The language of the captions, or null if they are off. */
	captions?: string | null
	/** The wide player on the watch page. */
	theater?: boolean
	/** Distinguishes viewers who react; it is sent only with reactions. */
	sessionId?: string
	captionStyle?: Record<string, string>
	/** In bits per second. */
	bandwidth?: { value: number; at: number }
	/** Positions in seconds by playback id, the latest last. */
	positions?: Record<string, number>
}

/**
 * Opens the preferences. Without storage, or for frames without the viewer's consent, they last as long as the page.
 */
export function openPreferences(isAllowed: () => boolean) {
	let isWanted = false
	/** What changed on this page. */
	let changed: Preferences = {}
	const readStored = (): Preferences => {
		if (!isAllowed()) return {}
		try {
			return checkPreferences(JSON.parse(localStorage.getItem(KEY) ?? '{}'))
		} catch {
			return {}
		}
	}
	const read = (): Preferences => ({ ...readStored(), ...changed })
	const store = () => {
		if (!isWanted || !isAllowed()) return
		try {
			localStorage.setItem(KEY, JSON.stringify(read()))
		} catch {
			// Storage is full or forbidden.
		}
	}
	const change = (patch: Preferences) => {
		changed = { ...changed, ...patch }
		store()
	}
	return {
		/** Nothing is stored before this call, which follows a play or a reaction of the viewer. */
		allowStorage() {
			isWanted = true
			store()
		},
		read,
		change,
		bandwidth(): number | null {
			const { bandwidth } = read()
			if (!bandwidth || Date.now() - bandwidth.at > ESTIMATE_LIFE_MS) return null
			return Math.min(20_000_000, Math.max(300_000, bandwidth.value))
		},
		position: (playbackId: string): number | null => read().positions?.[playbackId] ?? null,
		setPosition(playbackId: string, sec: number | null) {
			const { [playbackId]: _, ...others } = read().positions ?? {}
			const entries = Object.entries(others).slice(1 - MAX_POSITIONS)
			change({ positions: Object.fromEntries(sec === null ? entries : [...entries, [playbackId, sec]]) })
		},
	}
}

/** Returns the valid stored values. Another version may have stored others, at which a media element throws. */
function checkPreferences(stored: unknown): Preferences {
	const { volume, muted, speed, captions, theater, sessionId, captionStyle, bandwidth, positions } =
		recordOf(stored)
	const { value, at } = recordOf(bandwidth)
	return {
		...(isWithin(volume, 0, 1) && { volume }),
		...(typeof muted === 'boolean' && { muted }),
		...(isWithin(speed, SPEED_LIMITS.min, SPEED_LIMITS.max) && { speed }),
		...((typeof captions === 'string' || captions === null) && { captions }),
		...(typeof theater === 'boolean' && { theater }),
		...(typeof sessionId === 'string' && { sessionId }),
		captionStyle: ofEntries(captionStyle, (each) => typeof each === 'string'),
		...(isWithin(value, 1) && isWithin(at, 0, Date.now()) && { bandwidth: { value, at } }),
		positions: ofEntries(positions, (each) => isWithin(each, 0)),
	}
}

const recordOf = (value: unknown): Record<string, unknown> =>
	typeof value === 'object' && value !== null ? { ...value } : {}

const ofEntries = <T>(value: unknown, isValid: (each: unknown) => each is T): Record<string, T> =>
	Object.fromEntries(
		Object.entries(recordOf(value)).filter((entry): entry is [string, T] => isValid(entry[1])),
	)

const isWithin = (value: unknown, min: number, max = Number.MAX_VALUE): value is number =>
	typeof value === 'number' && value >= min && value <= max

export type PreferenceStore = ReturnType<typeof openPreferences>

/** A frame on another site may use storage only if the browser grants access. */
export async function mayUseStorage(): Promise<boolean> {
	if (window.parent === window) return true
	try {
		if (window.parent.location.origin === location.origin) return true
	} catch {
		// The parent is another site.
	}
	return (await document.hasStorageAccess?.().catch(() => false)) ?? false
}
