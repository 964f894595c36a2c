/** Replaces `openFile` of upload-file.ts in bundles for browsers. */
export async function openFile(): Promise<never> {
	throw unsupportedPathError()
}

export const unsupportedPathError = (cause?: unknown): TypeError =>
	new TypeError('a path can be read only by Node, Deno or Bun; pass a Blob', { cause })
