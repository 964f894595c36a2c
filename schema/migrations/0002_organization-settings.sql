ALTER TABLE `orgs` ADD `primary_color` text DEFAULT '#4f46e5' NOT NULL;--> statement-breakpoint
ALTER TABLE `orgs` ADD `theme` text DEFAULT 'dark' NOT NULL;--> statement-breakpoint
ALTER TABLE `orgs` ADD `logo_key` text;--> statement-breakpoint
ALTER TABLE `orgs` ADD `player_defaults` text DEFAULT '{"autoplay":false,"muted":false,"captions":false,"controls":true}' NOT NULL;--> statement-breakpoint
ALTER TABLE `orgs` ADD `allowed_embed_domains` text DEFAULT '[]' NOT NULL;