import Hls, { type LoaderCallbacks, type LoaderConfiguration, type LoaderContext } from 'hls.js'
import type { EmbeddedFile } from '#schema/contract/video/player-page.ts'
import { withoutToken, withToken } from './token-path.ts'

/** The files of the page by absolute URL, and the token of the URLs that the player requests. */
export type LoaderSource = { files: ReadonlyMap<string, EmbeddedFile>; token: string | null }

/** Returns the loader of hls.js that takes from the page what the page contains, and requests the rest. */
export function pageLoader(source: LoaderSource): typeof Hls.DefaultConfig.loader {
	return class PageLoader extends Hls.DefaultConfig.loader {
		override load(
			context: LoaderContext,
			config: LoaderConfiguration,
			callbacks: LoaderCallbacks<LoaderContext>,
		): void {
			const file = isWholeFile(context) ? source.files.get(withoutToken(context.url)) : undefined
			if (!file) {
				context.url = withToken(context.url, source.token)
				super.load(context, config, callbacks)
				return
			}
			const data = 'text' in file ? file.text : bytesOf(file.base64).buffer
			const { stats } = this
			stats.loaded = stats.total = 'text' in file ? file.text.length : file.base64.length
			stats.loading.start = stats.loading.first = stats.loading.end = performance.now()
			this.context = context
			queueMicrotask(() => callbacks.onSuccess({ url: context.url, data, code: 200 }, stats, context, null))
		}
	}
}

const isWholeFile = ({ rangeEnd }: LoaderContext): boolean => !rangeEnd

const bytesOf = (base64: string) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
