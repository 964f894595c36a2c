/**
 * The color of the product: in its logo, on its pages, in its mails, and in the players of organizations that have not
 * chosen their own. Style sheets and the logo repeat the value; `brand.unit.test.ts` compares them.
 */
export const BRAND_COLOR = '#c2371f'
