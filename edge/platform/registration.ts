import type { Variables } from './env.ts'

/** Whether an address may sign up by itself. An invitation lets anyone in whom it names; that is asked elsewhere. */
export function registrationAllows(
	vars: Pick<Variables, 'REGISTRATION_ENABLED' | 'REGISTRATION_ALLOWED_DOMAINS'>,
	email: string,
): boolean {
	if (!vars.REGISTRATION_ENABLED) return false
	return isAllowedDomain(vars, email)
}

/** Whether the installation takes addresses of this mail domain. */
export function isAllowedDomain(
	{ REGISTRATION_ALLOWED_DOMAINS: allowed }: Pick<Variables, 'REGISTRATION_ALLOWED_DOMAINS'>,
	email: string,
): boolean {
	return allowed.length === 0 || allowed.includes(email.slice(email.lastIndexOf('@') + 1))
}
