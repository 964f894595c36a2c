import { AppError } from '../../http/errors.ts'

/** Returns a static file. Throws 404 for any other answer, such as a redirect or an error page of the platform. */
export async function serveAsset(
	path: string,
	request: Request,
	assets: Fetcher | undefined,
	policy: string,
): Promise<Response> {
	const { method, headers } = request
	const found = await assets?.fetch(new URL(path, request.url), { method, headers, redirect: 'manual' })
	if (found?.status !== 200 && found?.status !== 304) throw new AppError('not_found', 'not found')
	const response = new Response(found.body, found)
	response.headers.set('content-security-policy', policy)
	return response
}
