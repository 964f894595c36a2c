const USER_AGENT_LENGTH = 256

/** Where a request came from, as people see it in the list of their sessions. */
export type Origin = {
	ip: string
	userAgent: string
	/** Where a device shows that it is known, and the headers of the answer, where it is remembered. */
	request: Request
	headers: Headers
}
export const originOf = (input: { ip: string; request: Request; headers: Headers }): Origin => ({
	ip: input.ip,
	userAgent: (input.request.headers.get('user-agent') ?? '').slice(0, USER_AGENT_LENGTH),
	request: input.request,
	headers: input.headers,
})
