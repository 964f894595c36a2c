import { UnexpectedResponseError } from '../errors.ts'
import type { BodylessRequest, BodyWatch } from './upload-parts.ts'

/** Sends a request of a browser, because `fetch` of browsers does not report the progress of a body. */
export const sendByXhr = (
	url: string,
	{ method, headers, body, signal }: BodylessRequest & { body: Blob },
	watch: BodyWatch,
): Promise<Response> =>
	new Promise((resolve, reject) => {
		const xhr = new XMLHttpRequest()
		xhr.open(method, url)
		for (const [name, value] of Object.entries(headers)) xhr.setRequestHeader(name, value)
		const stop = () => xhr.abort()
		xhr.upload.onprogress = ({ loaded }) => {
			try {
				watch.onSent?.(loaded)
			} catch (error) {
				watch.failure = error
				stop()
			}
		}
		xhr.onload = () => {
			// XMLHttpRequest follows redirects. The browser removes the token on the way to another origin.
			if (xhr.responseURL === new URL(url).href) resolve(readResponse(xhr))
			else
				reject(
					new UnexpectedResponseError(
						`${method} of the upload: a redirect is not from the API; check baseUrl and proxies`,
					),
				)
		}
		xhr.onloadend = () => {
			signal.removeEventListener('abort', stop)
			reject(new TypeError('the request failed'))
		}
		signal.addEventListener('abort', stop)
		xhr.send(body)
		if (signal.aborted) stop()
	})

const readResponse = (xhr: XMLHttpRequest): Response => {
	const lines = xhr.getAllResponseHeaders().trim().split('\r\n')
	const headers = lines.filter(Boolean).map((line) => line.split(/: (.*)/, 2) as [string, string])
	return new Response(xhr.status === 204 ? null : xhr.responseText, { status: xhr.status, headers })
}
