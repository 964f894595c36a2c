/** The script that other sites load (`/embed.js`). It defines `<playhouse-player>`, a player in a frame. */

/** Attributes that become parameters of the page in the frame. */
const PARAMETERS = [
	...['color', 'title', 't', 'end', 'autoplay', 'muted', 'loop', 'controls'],
	...['cc', 'lang', 'speed', 'preload', 'keys', 'preview', 'token'],
]
/** The methods of the page in the frame. Those that begin with `get` return a promise of the answer. */
const METHODS = [
	...['play', 'pause', 'getPaused', 'mute', 'unmute', 'getMuted', 'setVolume', 'getVolume', 'getDuration'],
	...['setCurrentTime', 'getCurrentTime', 'setLoop', 'getLoop', 'setPlaybackRate', 'getPlaybackRate'],
	...['getQualities', 'getQuality', 'setQuality', 'getAudioTracks', 'setAudioTrack'],
	...['getChapters', 'getTextTracks', 'getTextTrack', 'setTextTrack'],
]
const NAME = 'playhouse-player'
const CONTEXT = 'player.js'
/** A frame is loaded at this distance from the viewport. */
const LOAD_MARGIN = '400px'

// In a module, `currentScript` is null.
const script = document.currentScript ?? document.querySelector('script[type=module][src*="/embed.js"]')
const base = new URL('.', (script as HTMLScriptElement).src)

type Message = { context?: string; event: string; value?: Value; listener?: string }
type Value = { seconds?: number; duration?: number; events?: string[]; code?: number; msg?: string }

class PlayhousePlayer extends HTMLElement {
	static observedAttributes = ['playback-id', 'token']

	/** The state that the last events reported. */
	duration = Number.NaN
	paused = true
	#seconds = 0
	#root = this.attachShadow({ mode: 'closed' })
	#frame: HTMLIFrameElement | null = null
	#isReady = false
	/** The token that the page set since the frame was loaded. Its message is lost if the frame did not listen yet. */
	#newToken: string | null = null
	/** Why the frame shows no player. */
	#refusal: Value | undefined
	/** Calls made before the frame was ready, by listener. */
	#waiting = new Map<string, () => void>()
	#answers = new Map<string, (event: string, value: unknown) => void>()
	#calls = 0
	#observer = new IntersectionObserver(
		(entries) => {
			if (entries.some(({ isIntersecting }) => isIntersecting)) this.#load('lazy')
		},
		{ rootMargin: LOAD_MARGIN },
	)

	static {
		for (const name of METHODS)
			Object.defineProperty(PlayhousePlayer.prototype, name, {
				value(this: PlayhousePlayer, value: unknown) {
					return this.#call(name, value)
				},
			})
	}

	get currentTime(): number {
		return this.#seconds
	}
	set currentTime(sec: number) {
		this.#seconds = sec
		void this.#call('setCurrentTime', sec)
	}

	connectedCallback(): void {
		const ratio = this.getAttribute('aspect-ratio') ?? ''
		const styles = new CSSStyleSheet()
		// Page rules for the element take precedence over `:host`.
		styles.replaceSync(
			`:host{display:block;position:relative;background:#000;aspect-ratio:${CSS.supports('aspect-ratio', ratio) ? ratio : '16/9'}}iframe{position:absolute;inset:0;width:100%;height:100%;border:0}`,
		)
		this.#root.adoptedStyleSheets = [styles]
		addEventListener('message', this.#receive)
		this.#observer.observe(this)
	}

	disconnectedCallback(): void {
		removeEventListener('message', this.#receive)
		this.#observer.disconnect()
		this.#unload()
	}

	attributeChangedCallback(name: string, _before: string | null, after: string | null): void {
		if (!this.#frame) return
		if (name === 'token') {
			this.#refusal = undefined
			this.#newToken = after
			// A page without a valid token never becomes ready, but awaits a new one.
			this.#post('setToken', after)
		} else {
			this.#unload()
			this.#load('lazy')
		}
	}

	#load(loading: 'lazy' | 'eager'): void {
		if (!this.#frame) {
			const url = new URL(`embed/${encodeURIComponent(this.getAttribute('playback-id') ?? '')}`, base)
			for (const name of PARAMETERS) {
				const value = this.getAttribute(name)
				if (value !== null) url.searchParams.set(name, value)
			}
			this.#frame = document.createElement('iframe')
			this.#frame.title = this.title || 'Video'
			this.#frame.allow = 'autoplay; fullscreen; picture-in-picture; encrypted-media; web-share'
			this.#frame.allowFullscreen = true
			this.#frame.loading = loading
			this.#frame.src = url.href
			this.#root.append(this.#frame)
		}
		// A frame with pending calls is loaded even while invisible.
		if (loading === 'eager') this.#frame.loading = loading
	}

	#unload(): void {
		this.#frame?.remove()
		this.#frame = this.#newToken = null
		this.#isReady = false
		this.#refusal = undefined
		this.duration = Number.NaN
		this.paused = true
		this.#seconds = 0
		this.#rejectCalls({ code: -1, msg: 'unloaded' })
	}

	#call(method: string, value: unknown): Promise<unknown> | undefined {
		this.#load('eager')
		const listener = `${NAME}-${this.#calls++}`
		const post = () => this.#post(method, value, listener)
		if (this.#isReady) post()
		else this.#waiting.set(listener, post)
		return method.startsWith('get')
			? new Promise((resolve, reject) => {
					this.#answers.set(listener, (event, value) => (event === 'error' ? reject : resolve)(value))
					if (this.#refusal) this.#rejectCalls(this.#refusal)
				})
			: undefined
	}

	/** Rejects calls that await an answer. Others, such as `play`, still apply to the next player. */
	#rejectCalls(error: Value): void {
		for (const [listener, answer] of this.#answers) {
			this.#waiting.delete(listener)
			answer('error', error)
		}
		this.#answers.clear()
	}

	#post(method: string, value?: unknown, listener?: string): void {
		const message = { context: CONTEXT, version: '0.0.11', method, value, listener }
		this.#frame?.contentWindow?.postMessage(JSON.stringify(message), base.origin)
	}

	#receive = ({ source, origin, data }: MessageEvent): void => {
		if (source !== this.#frame?.contentWindow || origin !== base.origin) return
		const { context, event, value, listener = '' } = parse(data)
		if (context !== CONTEXT) return
		const answer = this.#answers.get(listener)
		if (answer) {
			this.#answers.delete(listener)
			answer(event, value)
			return
		}
		if (event === 'ready') {
			for (const name of value?.events ?? []) if (name !== event) this.#post('addEventListener', name)
			this.#isReady = true
			if (this.#newToken) this.#post('setToken', this.#newToken)
			for (const post of this.#waiting.values()) post()
			this.#newToken = null
			this.#waiting.clear()
		}
		if (event === 'error' && !this.#isReady) {
			if (this.#newToken) {
				this.#post('setToken', this.#newToken)
				// Once, as the token itself may be invalid.
				this.#newToken = null
				return
			}
			this.#refusal = value
			this.#rejectCalls(value ?? {})
		}
		if (event === 'play') this.paused = false
		if (event === 'pause' || event === 'ended') this.paused = true
		if (event === 'timeupdate') this.#seconds = value?.seconds ?? 0
		this.duration = value?.duration ?? this.duration
		this.dispatchEvent(new CustomEvent<unknown>(event, { detail: value }))
	}
}

/** Other scripts of the page may send anything. */
function parse(data: unknown): Message {
	try {
		return JSON.parse(String(data)) ?? {}
	} catch {
		return { event: '' }
	}
}

if (!customElements.get(NAME)) customElements.define(NAME, PlayhousePlayer)
