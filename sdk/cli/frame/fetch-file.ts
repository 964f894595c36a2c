import { CanceledError, ConnectionError, readError } from '../../src/errors.ts'

/** Fetches a file by an address that contains its own credential. */
export async function fetchFile(url: string, signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
	const response = await fetch(url, { signal }).catch((error: unknown) => {
		if (signal.aborted) throw new CanceledError('the download was interrupted')
		throw new ConnectionError('the file is not available now; check the network', { cause: error })
	})
	if (!response.ok) throw readError('GET of the file', response, await response.text())
	return response.body ?? new Response('').body ?? new ReadableStream()
}
