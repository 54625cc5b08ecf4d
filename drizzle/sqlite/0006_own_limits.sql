ALTER TABLE `users` ADD `per_minute` integer;--> statement-breakpoint
ALTER TABLE `users` ADD `per_month` integer;--> statement-breakpoint
ALTER TABLE `users` ADD `max_keys` integer;