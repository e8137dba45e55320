# The image holds the program, what it trusts, and the licences of others' work in it: it is
# static, and has the time zones in it. Built by "make image" from what "make release" built.
FROM scratch
ARG TARGETARCH=amd64
COPY --chmod=0555 dist/linux-${TARGETARCH}/upline /upline
COPY --chmod=0444 LICENSE dist/linux-${TARGETARCH}/licenses.txt /licenses/
COPY --chmod=0444 dist/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
USER 65532:65532
ENV UPLINE_ADDR=0.0.0.0:8080
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=10s CMD ["/upline", "health"]
ENTRYPOINT ["/upline"]
CMD ["serve"]
