import type { Variables } from './env.ts'

/** Returns true if an address may sign up without an invitation. Callers check invitations. */
export function isRegistrationAllowed(
	vars: Pick<Variables, 'REGISTRATION_ENABLED' | 'REGISTRATION_ALLOWED_DOMAINS'>,
	email: string,
): boolean {
	if (!vars.REGISTRATION_ENABLED) return false
	return isAllowedDomain(vars, email)
}

/** Returns true if the installation accepts addresses of this mail domain. */
export function isAllowedDomain(
	{ REGISTRATION_ALLOWED_DOMAINS: allowed }: Pick<Variables, 'REGISTRATION_ALLOWED_DOMAINS'>,
	email: string,
): boolean {
	return allowed.length === 0 || allowed.includes(email.slice(email.lastIndexOf('@') + 1))
}
