import { openChannel } from '../embed-api/channel.ts'

/** Opens the page again when the site around it sends a valid token. */
export function awaitToken(): void {
	const channel = openChannel()
	channel?.onMessage(({ method, value }) => {
		if (method !== 'setToken' || typeof value !== 'string') return
		const address = new URL(location.href)
		address.searchParams.set('token', value)
		location.replace(address)
	})
}
