/**
 * Providers that cannot sign, so that their address holds a capability. `body`: what they send is accepted under it.
 * `hint`: they only say that something happened, and the result is fetched with our key.
 */
const unsigned = { deepgram: 'body', assemblyai: 'hint' } as const

export const unsignedProviders = Object.keys(unsigned)

/** Returns how far the body of a provider is believed. */
export const bodyTrust = (provider: string): 'body' | 'hint' =>
	unsigned[provider as keyof typeof unsigned] ?? 'hint'
