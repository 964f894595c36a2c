import { z } from 'zod'

export const OrgRole = z.enum(['owner', 'admin', 'member'])
export type OrgRole = z.infer<typeof OrgRole>

export const ApiScope = z.enum(['read', 'write', 'admin', 'headless:auth', 'members:write'])
export type ApiScope = z.infer<typeof ApiScope>
