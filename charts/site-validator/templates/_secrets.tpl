{{/*
Values that are made once: what the Secret holds already stays, so that an upgrade changes
no password. (Where nothing can be looked up, as in `helm template`, each rendering makes
others: name an existingSecret there.)
Arguments: root, name, key, length.
*/}}
{{- define "site-validator.kept" -}}
{{- $secret := lookup "v1" "Secret" .root.Release.Namespace .name | default dict }}
{{- $value := index ($secret.data | default dict) .key }}
{{- if $value }}{{ $value | b64dec }}{{ else }}{{ randAlphaNum .length }}{{ end }}
{{- end }}

{{/* Changes when a Secret that the chart makes from values does: pods read them at their start. */}}
{{- define "site-validator.secretsChecksum" -}}
{{- list .Values.database .Values.firstToken .Values.secretKey | toJson | sha256sum }}
{{- end }}
