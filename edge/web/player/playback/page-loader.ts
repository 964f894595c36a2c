import Hls, {
	type FragmentLoaderContext,
	type LoaderCallbacks,
	type LoaderConfiguration,
	type LoaderContext,
} from 'hls.js'
import type { EmbeddedFile } from '#schema/contract/watch/player-page.ts'
import type { EarlySegment, EarlySegments } from './first-segments/early-segments.ts'
import { completeSegment } from './first-segments/lowest-quality.ts'
import type { HeldSegments } from './held-segments.ts'
import type { Holes } from './holes/holes.ts'
import { addToken, removeToken } from './token-path.ts'

export type LoaderSource = {
	/** The files of the page by absolute URL. */
	files: ReadonlyMap<string, EmbeddedFile>
	early: EarlySegments
	/** The token of the URLs that the player requests. */
	token: string | null
	/** Holds segments of the video, and of its audio. */
	untilDue: HeldSegments['untilDue']
	/** Returns the bytes to use in place of a missing segment; null to request the segment. */
	replaceSegment: Holes['replace']
}

/** Returns an hls.js loader that serves embedded files, uses each early segment once, and requests the rest. */
export function createPageLoader(source: LoaderSource): typeof Hls.DefaultConfig.loader {
	return class PageLoader extends Hls.DefaultConfig.loader {
		#end = new AbortController()
		/** Reports an abort. Null once a request was sent, because hls.js then reports it. */
		#onAbort: (() => void) | null = null

		override load(
			context: LoaderContext,
			config: LoaderConfiguration,
			callbacks: LoaderCallbacks<LoaderContext>,
		): void {
			this.context = context
			const address = removeToken(context.url)
			const file = isWholeFile(context) ? source.files.get(address) : undefined
			const early = isWholeFile(context) ? source.early.get(address) : undefined
			this.#onAbort = () => callbacks.onAbort?.(this.stats, context, null)
			const request = () => {
				this.#onAbort = null
				context.url = addToken(context.url, source.token)
				super.load(context, config, callbacks)
			}
			/** Answers later, unless hls.js has aborted the request by then. */
			const answerLater = <T>(promise: Promise<T>, answer: (value: T) => void) =>
				void promise.then((value) => {
					if (!this.#end.signal.aborted) answer(value)
				})
			const replacement = isSegment(context) ? source.replaceSegment(context) : null
			if (file) answerLater(Promise.resolve(file), () => this.#answerFromPage(file, context, callbacks))
			else if (replacement)
				answerLater(Promise.resolve(replacement), ({ buffer }) =>
					this.#answer(buffer as ArrayBuffer, context, callbacks),
				)
			else if (early) {
				source.early.delete(address)
				const completing = early.then((start) => completeSegment(addToken(context.url, source.token), start))
				answerLater(completing, (segment) => {
					if (segment.body) this.#answerEarly(segment, segment.body, context, callbacks)
					else request()
				})
			} else {
				const due =
					isSegment(context) && isWholeFile(context)
						? source.untilDue(context.frag.start, this.#end.signal)
						: null
				if (due) answerLater(due, request)
				else request()
			}
		}

		override abort(): void {
			this.#end.abort()
			super.abort()
			const onAbort = this.#onAbort
			this.#onAbort = null
			onAbort?.()
		}

		override destroy(): void {
			this.#onAbort = null
			this.#end.abort()
			super.destroy()
		}

		#answerFromPage(
			file: EmbeddedFile,
			context: LoaderContext,
			callbacks: LoaderCallbacks<LoaderContext>,
		): void {
			this.#answer('text' in file ? file.text : bytesOf(file.base64).buffer, context, callbacks)
		}

		/** Passes the bytes to hls.js without a request. */
		#answer(
			data: string | ArrayBuffer,
			context: LoaderContext,
			callbacks: LoaderCallbacks<LoaderContext>,
		): void {
			const { stats } = this
			stats.loaded = stats.total = typeof data === 'string' ? data.length : data.byteLength
			stats.loading.start = stats.loading.first = stats.loading.end = performance.now()
			callbacks.onSuccess({ url: context.url, data, code: 200 }, stats, context, null)
		}

		#answerEarly(
			{ requestedAt, answeredAt, receivedAt }: EarlySegment,
			data: ArrayBuffer,
			context: LoaderContext,
			callbacks: LoaderCallbacks<LoaderContext>,
		): void {
			const { stats } = this
			stats.loaded = stats.total = data.byteLength
			// hls.js estimates the bandwidth from these.
			Object.assign(stats.loading, { start: requestedAt, first: answeredAt, end: receivedAt })
			callbacks.onSuccess({ url: context.url, data, code: 200 }, stats, context, null)
		}
	}
}

/** Playlists and initialization segments have no place in the video. */
const isSegment = (context: LoaderContext): context is FragmentLoaderContext =>
	'frag' in context && (context as FragmentLoaderContext).frag.sn !== 'initSegment'

const isWholeFile = ({ rangeEnd }: LoaderContext): boolean => !rangeEnd

const bytesOf = (base64: string) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
